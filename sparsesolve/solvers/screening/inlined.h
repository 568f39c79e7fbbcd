/* Loops that are hot are written once for blocks and compiled for single columns and for groups:
   inline functions of the including module are inlined whatever their size, so that the constant
   which tells the two apart is folded. Include it after Cython's own definition. */
#if defined(__GNUC__)
#undef CYTHON_INLINE
#define CYTHON_INLINE inline __attribute__((always_inline))
#endif
