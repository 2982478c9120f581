// Package mlx5test plays the NICs of a host to the real programs that set them, for tests: dcb, devlink and rdma of
// iproute2, and ethtool.
package mlx5test

import (
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
)

// DCBShim is the C source of a library that, preloaded into the real dcb, answers it as an mlx5 NIC would. Its source documents how.
//
//go:embed dcbshim/dcbshim.c
var DCBShim string

// DevlinkShim is the C source of a library that, preloaded into the real devlink, answers it as the driver mlx5 would. Its source
// documents how.
//
//go:embed devlinkshim/devlinkshim.c
var DevlinkShim string

// RDMAShim is the C source of a library that, preloaded into the real rdma, answers it as Soft-RoCE would. Its source documents how.
//
//go:embed rdmashim/rdmashim.c
var RDMAShim string

// EthtoolShim is the C source of a library that, preloaded into the real ethtool, answers -a and -A. Its source documents how.
//
//go:embed ethtoolshim/ethtoolshim.c
var EthtoolShim string

// Knobs is the C source of a library that, preloaded into a shell, makes plain files act like those of a driver. Its source documents
// how.
//
//go:embed knobs/knobs.c
var Knobs string

// Ethtool is a script that simulates ethtool -a and -A, with its state in the folder FAKE_DIR.
//
//go:embed ethtool
var Ethtool string

// Build compiles a C source into the shared library so.
func Build(so, source string) error {
	cmd := exec.Command("gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", so, "-x", "c", "-", "-lmnl", "-ldl")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s (Debian packages gcc, libc6-dev, libmnl-dev)", err, out)
	}
	return nil
}
