package deploy

import (
	"fmt"
	"strconv"
	"strings"
)

// The bits of a mode that let users other than the owner write, and the bits that no file of rocec has.
const (
	othersWrite = 0o022
	special     = 0o7000
	sticky      = 0o1000
)

// Rights are the rights to change a file or folder of a device: its owner and group, and its mode with setuid, setgid and the sticky bit.
type Rights struct{ UID, GID, Mode uint32 }

// ParseRights reads "UID:GID:MODE", with the mode in octal, as the read of a device prints it.
func ParseRights(text string) (Rights, bool) {
	f := strings.Split(text, ":")
	if len(f) != 3 {
		return Rights{}, false
	}
	uid, err := strconv.ParseUint(f[0], 10, 32)
	gid, err2 := strconv.ParseUint(f[1], 10, 32)
	mode, err3 := strconv.ParseUint(f[2], 8, 12)
	return Rights{uint32(uid), uint32(gid), uint32(mode)}, err == nil && err2 == nil && err3 == nil
}

// OfFile returns the required rights of a file that has rights r. Owner and group must be root, and only root may write. Programs of root
// read every file that rocec writes, so there is one rule for all targets. A mode that lets fewer users read stays.
func (r Rights) OfFile() Rights { return Rights{Mode: r.Mode &^ (othersWrite | special)} }

// OfFolder returns the required rights of a folder of rocec that has rights r.
func (r Rights) OfFolder() Rights { return Rights{Mode: r.Mode &^ othersWrite} }

// Open reports whether users other than root may change a file or folder with the rights.
func (r Rights) Open() bool { return r.UID != 0 || r.Mode&othersWrite != 0 }

// Owner returns owner and group, "0:0".
func (r Rights) Owner() string { return fmt.Sprintf("%d:%d", r.UID, r.GID) }

// Perm returns the mode in four octal digits, "0755".
func (r Rights) Perm() string { return fmt.Sprintf("%04o", r.Mode) }

// RightsChange removes the rights of other users from a file, or from one of rocec's own folders.
type RightsChange struct {
	Path          string
	Before, After Rights
}
