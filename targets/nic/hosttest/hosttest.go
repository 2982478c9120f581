// Package hosttest simulates a host with NICs of any driver (a [Machine]) for the real programs that set them, in tests: shells, dcb,
// devlink and rdma of iproute2, and ethtool.
package hosttest

import (
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
)

// DCBShim is the C source of a library for preloading into the real dcb, which then gets the answers of a NIC by the rules of a driver.
// Comments in the source have the details.
var DCBShim = dcbState + dcbDrivers + dcbRequests

var (
	//go:embed dcbshim/state.c
	dcbState string
	//go:embed dcbshim/drivers.c
	dcbDrivers string
	//go:embed dcbshim/dcbshim.c
	dcbRequests string
)

// DevlinkShim is the C source of a library for preloading into the real devlink, which then gets the answers of the driver mlx5. Comments
// in the source have the details.
//
//go:embed devlinkshim/devlinkshim.c
var DevlinkShim string

// RDMAShim is the C source of a library for preloading into the real rdma, which then gets the answers of Soft-RoCE. Comments in the
// source have the details.
//
//go:embed rdmashim/rdmashim.c
var RDMAShim string

// EthtoolShim is the C source of a library for preloading into the real ethtool, for -a and -A. Comments in the source have the details.
//
//go:embed ethtoolshim/ethtoolshim.c
var EthtoolShim string

// Knobs is the C source of a library for preloading into a shell. With it, plain files behave like files of a driver. Comments in the
// source have the details.
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
