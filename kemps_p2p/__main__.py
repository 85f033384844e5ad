"""`python -m kemps_p2p` is `kemps`."""

from kemps_p2p.cli.main import main

if __name__ == "__main__":
    main()
