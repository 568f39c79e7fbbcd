"""The certificate: dual points, and what unpenalised columns demand of them."""
