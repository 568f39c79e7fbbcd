"""Files written whole or not at all."""

import os
import threading

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.cli.reading import write_coefs
from sparsesolve.results.files.whole_file import whole_file

FIT = ss.path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])


def test_what_was_there_stays_where_writing_fails(tmp_path):
    file = tmp_path / "kept.txt"
    file.write_text("old")
    file.chmod(0o640)
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught, whole_file(file, "w") as stream:
            stream.write("new")
            raise error
        assert file.read_text() == "old" and os.listdir(tmp_path) == ["kept.txt"]
        assert not isinstance(error, OSError) or caught.value.filename == str(file)
    with whole_file(file, "w") as stream:
        stream.write("new")
    assert file.read_text() == "new" and os.listdir(tmp_path) == ["kept.txt"]
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_links_are_followed_and_pipes_are_written_to(tmp_path):
    file, link, pipe = tmp_path / "model.npz", tmp_path / "link.npz", tmp_path / "pipe"
    link.symlink_to(file)
    ss.save(FIT, link)
    assert link.is_symlink() and ss.load(file).lambdas.tolist() == FIT.lambdas.tolist()
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    write_coefs(FIT, pipe)
    reader.join()
    write_coefs(FIT, tmp_path / "plain.csv")
    assert found == [(tmp_path / "plain.csv").read_text()]


def test_a_model_is_not_lost_to_one_that_cannot_be_written(tmp_path, monkeypatch):
    file = tmp_path / "model.npz"
    ss.save(FIT, file)

    def full(stream, **arrays):
        stream.write(b"PK")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="No space left on device.*model.npz"):
        ss.save(FIT, file)
    assert ss.load(file).df.tolist() == FIT.df.tolist()


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs names of open files")
def test_names_of_open_files_are_written_to():
    read, write = os.pipe()
    with whole_file(f"/dev/fd/{write}") as stream:
        stream.write("through")
    os.close(write)
    assert os.read(read, 100) == b"through"
    os.close(read)


def test_files_that_cannot_be_replaced_without_a_loss_are_written_to(tmp_path):
    file, other = tmp_path / "one", tmp_path / "other"
    file.write_text("old")
    os.link(file, other)
    with whole_file(file) as stream:
        stream.write("new")
    assert other.read_text() == "new" and file.samefile(other)
    with pytest.raises(FileNotFoundError, match="elsewhere"), whole_file(tmp_path / "third"):
        open(tmp_path / "elsewhere" / "file")
    assert sorted(os.listdir(tmp_path)) == ["one", "other"]


def test_several_at_one_time(tmp_path):
    file = tmp_path / ("a" * 100)
    streams = [whole_file(file) for _ in range(3)]
    for k, each in enumerate(streams):
        each.__enter__().write(str(k))
    for each in streams:
        each.__exit__(None, None, None)
    assert file.read_text() == "2" and len(os.listdir(tmp_path)) == 1


def test_content_takes_the_place_where_the_file_cannot(tmp_path, monkeypatch):
    """As where the file is mounted by itself, or open elsewhere under Windows."""
    file = tmp_path / "mounted"
    file.write_text("old")

    def busy(place, target):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(os, "replace", busy)
    with whole_file(file) as stream:
        stream.write("new")
    assert file.read_text() == "new" and os.listdir(tmp_path) == ["mounted"]
