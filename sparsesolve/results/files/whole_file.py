"""Files that are written whole or not at all."""

import os
import secrets
import shutil
from contextlib import contextmanager


@contextmanager
def whole_file(file, mode="w", **how):
    """A stream whose content takes the place of `file` once all of it is written.

    Where that fails what was there before stays, and nothing else is left. Only a plain file of
    ours can be replaced so: pipes, devices, hard links, files of others and those in a folder in
    which nothing can be made are written to as it comes.
    """
    target = os.path.realpath(os.fsdecode(file))
    if _can_be_replaced(os.fsdecode(file), target):
        place = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.part")
        mode = mode.replace("w", "x")
    else:
        target = place = file
    try:
        with open(place, mode, **how) as stream:
            if place != target and os.path.exists(target):
                shutil.copymode(target, place)
            yield stream
        if place != target:
            _replace(place, target)
    except BaseException as error:
        if place != target and os.path.exists(place):
            os.unlink(place)
        if isinstance(error, OSError) and error.filename in (None, place) and error.errno:
            # a full disk names no file
            raise type(error)(error.errno, error.strerror, os.fsdecode(file)) from error
        raise


def _replace(place, target):
    """Let one file take the place of another, or else its content, as where another is mounted."""
    try:
        os.replace(place, target)
    except OSError:
        shutil.copyfile(place, target)
        os.unlink(place)


def _can_be_replaced(file, target):
    """Whether `target`, the place that `file` leads to, can be another file without a loss."""
    places = os.path.abspath(file), target
    if any(name.startswith(("/dev/", "/proc/")) for name in places):  # of what is open already
        return False
    if not os.access(os.path.dirname(target), os.W_OK):
        return False
    if not os.path.exists(target):
        return True
    known = os.stat(target)
    ours = not hasattr(os, "geteuid") or (known.st_uid, known.st_gid) == (
        os.geteuid(), os.getegid())  # fmt: skip
    plain = os.path.isfile(target) and known.st_nlink == 1
    return plain and ours and os.access(target, os.W_OK)
