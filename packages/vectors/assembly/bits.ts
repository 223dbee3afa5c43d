/** Bits of float32 numbers without their signs: of two numbers, the larger one has the larger bits. */
@inline
export function sizeOf(number: v128): v128 {
  return v128.and(number, i32x4.splat(0x7fff_ffff))
}
