#pragma once

#include "wire/decoder.h"

namespace tamp::wire {

void decode_volume(Decoder& d, Symbol name);                   // PersistentVolume
void decode_volume_claim(Decoder& d, Symbol ns, Symbol name);  // PersistentVolumeClaim
void decode_storage_class(Decoder& d, Symbol name);
void decode_csi_node(Decoder& d, Symbol name);

}  // namespace tamp::wire
