"""
The command `lean` for machines without a C compiler: does the work of main.c through ctypes. It is in bin/, next to
lib/.
"""

import ctypes
import os
import signal
import struct
import sys

PAGE_BYTES = 4096
READ, WRITE, EXECUTE = 1, 2, 4

# Python catches these for itself; Lean is to have them as any program has.
for caught in (signal.SIGINT, signal.SIGPIPE):
    signal.signal(caught, signal.SIG_DFL)

root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
lean = ctypes.CDLL(os.path.join(root, "lib", "libleanshared.so"), mode=ctypes.RTLD_GLOBAL)
system = ctypes.CDLL(None, use_errno=True)

# A Lean object that is never freed: constructor 0 with one field, the boxed unit.
success = ctypes.create_string_buffer(struct.pack("<iHBBQ", 0, 16, 1, 0, 1), 16)
code = b"\x48\xb8" + struct.pack("<Q", ctypes.addressof(success)) + b"\xc3"  # mov rax, success; ret
function = ctypes.cast(lean.l_Lean_compileDecls, ctypes.c_void_p).value
page = ctypes.c_void_p(function & ~(PAGE_BYTES - 1))


def protect(rights):
    if system.mprotect(page, ctypes.c_size_t(2 * PAGE_BYTES), rights) != 0:
        reason = os.strerror(ctypes.get_errno())
        sys.exit("lean: the system does not let a program change its own code: " + reason)


protect(READ | WRITE | EXECUTE)
ctypes.memmove(function, code, len(code))
protect(READ | EXECUTE)

words = [b"lean"] + [os.fsencode(word) for word in sys.argv[1:]]
arguments = (ctypes.c_char_p * (len(words) + 1))(*words, None)
# Not sys.exit: Lean's own buffers are flushed by the C library's exit, and Python has nothing left to do.
system.exit(lean.lean_main(len(words), arguments))
