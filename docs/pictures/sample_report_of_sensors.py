"""The report of the sensors, as the documentation links it; the argument is the file to write."""

import sys

import iim

METHODS = ["mean", "knn", "glr", "loess", "iim"]


def write(path):
    iim.report(iim.samples.sensors(), path, compare=METHODS, title="Three weather stations")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: sample_report_of_sensors.py sample.html")
    write(sys.argv[1])
