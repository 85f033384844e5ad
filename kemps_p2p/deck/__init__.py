"""The blind deck: positions that nobody knows until the seats that owe it have said their shares."""
