"""Shared by the tests here that are written in Python: they are called with SCCL-SYNTH SOURCE, and print TAP."""
import os, subprocess, sys

PROGRAM, SOURCE = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
ENV = dict(os.environ, SCCL_PATH=SOURCE, LC_ALL="C")
done = failed = 0


def run(*arguments):
    """The exit status, standard output and standard error; the status "no end" after two minutes."""
    try:
        got = subprocess.run([PROGRAM, *map(str, arguments)], env=ENV, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=120)
        return got.returncode, got.stdout, got.stderr
    except subprocess.TimeoutExpired:
        return "no end", "", ""


def ok(what, good, detail=""):
    global done, failed
    done += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {done} - {what}")
    if not good:
        print("# " + detail.replace("\n", "\n# "))


def finish():
    print(f"1..{done}")
    sys.exit(failed > 0)
