/** The Lean version of `ELABORATOR_PACKAGE`, as printed by `lean --version`. The package's checksum pins it. */
export const ASSEMBLED_LEAN_VERSION = '4.35.0';
export const ASSEMBLED_LEAN_COMMIT = 'eb6cafb7290e8bd5f2937522d8d804f58f02bafc';
