// The page of an explorer: one state (lambda, view, search) and one function that shows it.
"use strict";
const read = id => JSON.parse(document.getElementById(id).textContent);
const element = id => document.getElementById(id);
const data = read("data"), drawn = read("drawn"), plot = element("figure");
const MOST_FOUND = 8;  // lines of a search that are drawn thick
const state = {at: data.start, view: 0, find: ""};
const current = () => data.views[state.view];

function cell(text, kind) {
  const td = document.createElement("td");
  td.textContent = text;
  if (kind) td.className = kind;
  return td;
}

// A name that was typed whole finds itself alone, or its group; else all that contain it.
function found() {
  const view = current(), word = state.find.trim().toLowerCase(), lower = s => s.toLowerCase();
  if (!word) return null;
  const all = [...view.names.keys()], groups = j => view.groups ? lower(view.groups[j]) : "";
  const exact = all.filter(j => lower(view.names[j]) === word);
  if (exact.length) return exact;
  const group = all.filter(j => groups(j).split(", ").includes(word));
  return group.length ? group : all.filter(j => (lower(view.names[j]) + " " + groups(j)).includes(word));
}

function showTable(lines) {
  const view = current(), [places, values] = view.columns[state.at], body = element("rows");
  body.replaceChildren();
  const row = (rank, j, value) => {
    const tr = document.createElement("tr");
    tr.append(cell(rank, "number"), cell(view.names[j], "link"));
    if (view.groups) tr.append(cell(view.groups[j], "link"));
    tr.append(cell(value ? Number(value.toPrecision(6)) : 0, "number"));
    tr.className = value ? "" : "out";
    body.append(tr);
  };
  places.forEach((j, k) => { if (!lines || lines.includes(j)) row(k + 1, j, values[k]); });
  if (lines) lines.filter(j => !places.includes(j)).forEach(j => row("", j, 0));
}

function showFound(lines) {
  const view = current(), y = [], x = [], last = plot.data.length - 1;
  for (const j of (lines || []).slice(0, MOST_FOUND)) {
    data.lambdas.forEach((lambda, k) => {
      const place = view.columns[k][0].indexOf(j);
      x.push(lambda), y.push(place < 0 ? 0 : view.columns[k][1][place]);
    });
    x.push(null), y.push(null);
  }
  Plotly.restyle(plot, {x: [x], y: [y], name: ["found"]}, [last]);
  Plotly.restyle(plot, {opacity: lines ? 0.2 : 1}, view.traces.slice(0, -1));
}

function showLambda() {
  const {data: moved, layout, traces} = drawn.frames[state.at];
  element("said").textContent = data.said[state.at] + (data.missed[state.at] && ` (${data.missed[state.at]})`);
  element("slider").value = state.at;
  element("slider").setAttribute("aria-valuetext", data.said[state.at]);
  showTable(found());
  Plotly.update(plot, {x: moved.map(t => t.x), y: moved.map(t => t.y)}, layout, traces);
}

function showView() {
  const view = current(), hidden = data.views.flatMap((v, k) => k === state.view ? [] : v.traces);
  Plotly.update(plot, {visible: plot.data.map((_, k) => !hidden.includes(k))},
                {"yaxis.title.text": view.title.replaceAll("<", "&lt;")});
  const head = ["Rank", "Name", ...(view.groups ? ["Group"] : []), view.title];
  element("head").replaceChildren(...head.map((text, k) => {
    const th = document.createElement("th");
    th.textContent = text;
    if (k === 0 || k === head.length - 1) th.className = "number";
    return th;
  }));
  const words = new Set([...view.names, ...(view.groups || []).flatMap(g => g.split(", "))]);
  element("names").replaceChildren(...[...words].map(word => new Option(word)));
  showFound(found());
  showTable(found());
}

function search(word) {
  state.find = element("find").value = word;
  showFound(found());
  showTable(found());
}

function colours(plot) {
  const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(name);
  const change = {"font.color": of("--ink"), paper_bgcolor: of("--paper"), plot_bgcolor: of("--paper")};
  for (const axis of Object.keys(plot.layout).filter(key => /^[xy]axis\d*$/.test(key))) {
    change[axis + ".gridcolor"] = change[axis + ".zerolinecolor"] = of("--line");
    change[axis + ".linecolor"] = of("--line");
  }
  const own = [...plot.data.keys()].filter(k => plot.data[k].meta === "found");
  if (own.length) Plotly.restyle(plot, {"line.color": of("--ink")}, own);
  Plotly.relayout(plot, change);
}

async function start() {
  drawn.data.push({type: "scatter", mode: "lines", x: [], y: [], hoverinfo: "skip", xaxis: "x",
                   yaxis: "y", line: {width: 3}, meta: "found"});
  drawn.layout.autosize = true;
  await Plotly.newPlot(plot, drawn.data, drawn.layout, {responsive: true, displaylogo: false});
  element("slider").max = data.lambdas.length - 1;
  data.views.forEach((view, k) => element("view").add(new Option(view.title, k)));
  for (const [name, place] of Object.entries(data.marks)) {
    const button = document.createElement("button");
    button.textContent = "λ " + name;
    button.onclick = () => { state.at = place; showLambda(); };
    element("marks").append(button, " ");
  }
  element("slider").oninput = event => { state.at = Number(event.target.value); showLambda(); };
  element("view").onchange = event => { state.view = Number(event.target.value); showView(); };
  element("find").oninput = event => search(event.target.value);
  element("rows").onclick = event => event.target.className === "link" && search(event.target.textContent);
  plot.on("plotly_click", ({points: [point]}) => {
    state.at = data.lambdas.indexOf(point.x);
    showLambda();
  });
  for (const place of document.querySelectorAll(".drawn")) {
    const {data, layout} = read("figures")[place.dataset.figure];
    await Plotly.newPlot(place, data, {...layout, autosize: true}, {responsive: true, displaylogo: false});
  }
  const all = [plot, ...document.querySelectorAll(".drawn")];
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => all.forEach(colours));
  all.forEach(colours);
  showView();
  showLambda();
  document.body.dataset.ready = "yes";
}
start();
