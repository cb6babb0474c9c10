// SPDX-License-Identifier: Apache-2.0
// What a CUDA program may say to Heddle. Host side: marked regions, whose statistics a run reports apart.
#ifndef HEDDLE_H
#define HEDDLE_H

#if defined(__cplusplus)
extern "C" {
#endif
// Everything that is launched until the matching end belongs to the region called `name` (any UTF-8 text, copied; not
// empty). Regions nest; a name used again adds to the same region.
void heddle_region_begin(const char* name);
// Ends the region begun last under this name.
void heddle_region_end(const char* name);
#if defined(__cplusplus)
}
#endif

#endif
