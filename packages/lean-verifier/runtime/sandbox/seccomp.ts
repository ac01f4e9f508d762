/**
 * A filter that refuses system calls which no program in the sandbox needs and which attacks on kernel bugs have used.
 * It is classic BPF (seccomp(2)), as bytes for bubblewrap. Namespaces and dropped capabilities already refuse most of
 * these calls; the filter is a second defence. A refused call fails with EPERM. A call of another architecture ends the
 * process.
 */

/** AUDIT_ARCH_* of linux/audit.h, and the numbers of the refused calls: x86 by asm/unistd_64.h, arm by asm-generic/unistd.h. */
const ARCHITECTURES = {
  x64: { audit: 0xc000003e, column: 0, clone: 56 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220 },
} as const;

const REFUSED: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  // Access to other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  perf_event_open: [298, 241],
  // Programs inside the kernel, and page faults handled outside it.
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  // File systems and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  // Keys, kernel modules, and control of the machine.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
};

const CLONE3 = 435;
/** All CLONE_NEW… flags of sched.h: `clone` can create namespaces too. */
const NEW_NAMESPACE_FLAGS = 0x7e020000;
/** Calls of the x32 ABI have the same architecture as x86-64 and set this bit. */
const X32_BIT = 0x40000000;

/** Instructions of linux/bpf_common.h: load a word of `seccomp_data`, jump, return. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
/** SECCOMP_RET_*. */
const ALLOW = 0x7fff0000;
const END_PROCESS = 0x80000000;
const FAIL = 0x00050000;
const EPERM = 1;
/**
 * The C library takes this error to mean that the kernel lacks `clone3`, and uses `clone`. A filter cannot read the
 * flags of `clone3`.
 */
const ENOSYS = 38;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Returns the filter's bytes; null for a processor architecture that is not listed here. */
export function seccompFilter(architecture: string): Buffer | null {
  if (architecture !== 'x64' && architecture !== 'arm64') return null;
  const { audit, column, clone } = ARCHITECTURES[architecture];
  const numbers = Object.values(REFUSED).map((pair) => pair[column]);
  /** Number of instructions after the list: clone3, its answer, clone, its flags, allow, refuse. */
  const refuseAfter = 6;
  const refused = numbers.map(
    (number, index): Instruction => [JUMP_EQUAL, numbers.length - 1 - index + refuseAfter, 0, number],
  );
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, END_PROCESS],
    [LOAD, 0, 0, NUMBER],
    [JUMP_GREATER_OR_EQUAL, numbers.length + refuseAfter, 0, X32_BIT],
    ...refused,
    [JUMP_EQUAL, 0, 1, CLONE3],
    [RETURN, 0, 0, FAIL | ENOSYS],
    [JUMP_EQUAL, 0, 2, clone],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [JUMP_ANY_BIT, 1, 0, NEW_NAMESPACE_FLAGS],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, FAIL | EPERM],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
