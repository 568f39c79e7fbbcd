"""Files that are written completely or not at all."""

import os
import secrets
import shutil
from contextlib import contextmanager


@contextmanager
def whole_file(file, mode="w", **how):
    """Open a stream whose content replaces `file` once all of it is written.

    If writing fails, the old content stays, and nothing else is left. This is possible for a
    plain file that the user owns. Pipes, devices, hard links, files of others, and files in a
    folder without write permission are written to directly.
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
            # An error of a full disk names no file.
            raise type(error)(error.errno, error.strerror, os.fsdecode(file)) from error
        raise


def _replace(place, target):
    """Replace one file by another, or copy its content if the folder is on another mount."""
    try:
        os.replace(place, target)
    except OSError:
        shutil.copyfile(place, target)
        os.unlink(place)


def _can_be_replaced(file, target):
    """Return True if `target`, the place of `file`, can be replaced without a loss."""
    places = os.path.abspath(file), target
    if any(name.startswith(("/dev/", "/proc/")) for name in places):  # these are open already
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
