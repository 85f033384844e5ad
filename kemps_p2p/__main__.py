"""`python -m kemps_p2p` is `kemps`."""

from kemps_p2p.cli.start import start

if __name__ == "__main__":
    start()
