package forms

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
)

// maxFolder bounds the name of a folder, in bytes; file systems allow 255. For a longer nodeset, the name is its beginning, a tilde
// (which is in no name of a device) and a hash.
const maxFolder = 200

// folderName returns the name of the folder of devices, and their nodeset.
func folderName(names []string) (folder, set string) {
	set = strings.Join(nodeset.Fold(names, nodeset.Devices), ",")
	if len(set) <= maxFolder {
		return set, set
	}
	sum := sha256.Sum256([]byte(set))
	hash := "~" + hex.EncodeToString(sum[:8])
	first, _ := nodeset.Few(names, nodeset.Devices, maxFolder-len(hash))
	return strings.Join(first, ",") + hash, set
}
