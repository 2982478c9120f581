package ice

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/hosttest"
	"github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

func TestMain(m *testing.M) { os.Exit(hosttest.Main(m)) }

func place(line int) diag.Range {
	r := diag.Range{Filename: "fabric.hcl"}
	r.Start.Line, r.Start.Byte = line, line
	r.End.Line, r.End.Byte = line, line+1
	return r
}

// device returns a host with one E810, whose only intent is identified by DSCP 26, or by PCP in VLAN 100. Its group has cos 3 and ECN.
func device(t testing.TB, byDSCP bool) *ir.Device {
	f := &ir.Fabric{Name: "test", MTU: 9216, FlowControl: ir.PFC}
	rdma := &ir.CosGroup{
		Name: "rdma", At: place(2), Cos: 3, CosAt: place(2), Lossless: true, LosslessAt: place(3), Weight: 60,
		PCP: []ir.Claim{{Value: 3, At: place(2)}}, ECN: &ir.ECN{At: place(5)},
	}
	cnp := &ir.CosGroup{Name: "cnp", At: place(8), Cos: 6, CosAt: place(8), Strict: true, PCP: []ir.Claim{{Value: 6, At: place(8)}}}
	if byDSCP {
		rdma.DSCP = []ir.Claim{{Value: 26, At: place(4)}}
		cnp.DSCP = []ir.Claim{{Value: 10, At: place(9)}}
	}
	f.CosGroups = []*ir.CosGroup{{Name: "default", At: place(1), CosAt: place(1), Weight: 40}, rdma, cnp}
	in := &ir.Intent{Name: "training", At: place(20), Version: 2, VersionAt: place(21), Group: rdma, CNP: cnp}
	if !byDSCP {
		in.VLAN = 100
	}
	n := &ir.NIC{
		NICPlaces: &ir.NICPlaces{At: place(50), ModelAt: place(51), MTUAt: place(52)},
		Name:      "ens1", Model: model(t, "e810"), MTU: 9000, TTL: -1, TOS: -1, RoCE: true, Intents: []*ir.Intent{in},
	}
	d := &ir.Device{
		Name: "gpu1", Group: "gpu", DevicePlaces: &ir.DevicePlaces{At: place(40), Decl: place(40)}, Fabric: f,
		Host: &ir.Host{NICs: []*ir.NIC{n}},
	}
	n.Device = d
	return d
}

func model(t testing.TB, name string) *ir.NICModel {
	m := ir.Known{Drivers: []*ir.Driver{driver}}.FindNIC(name)
	require.NotNil(t, m, name)
	return m
}

// host simulates a host with the NIC of a device. The firmware's agent for LLDP and DCBX runs, as it does from the factory.
type host struct {
	*hosttest.Machine
	shell string
}

func newHost(t testing.TB, d *ir.Device) *host {
	h := &host{hosttest.New(t, "ice", family.Script()), "dash"}
	h.Env = append(h.Env, "ROCEC_WAIT=1")
	h.Command("sleep", ":")
	h.Add(sim.NIC{
		Netdev: target.Netdev{Name: "ens1", Driver: "ice", PCI: "0000:03:00.0", MTU: 9000}, ID: [2]string{"0x8086", "0x1592"},
		RDMA: "rocep3s0f0",
	})
	h.Write("sys/class/net/ens1.100/mtu", "9000")
	h.Write("sys/devices/0000:03:00.0/infiniband/rocep3s0f0/node_type", "1: CA")
	h.Write("fake/ens1.lldp", "")
	h.Write("fake/devlink-0000:03:00.0", "0")
	h.Write("fake/iwarp-0000:03:00.0", "1")
	require.NoError(t, os.Rename(h.Path("sys/devices/0000:03:00.0/infiniband"), h.Path("sys/devices/0000:03:00.0/infiniband.off")))
	h.Real("devlink", `DEVLINKSHIM_DRIVER=ice DEVLINKSHIM_DIR="$FAKE_DIR" `)
	// Intel's own irdma, with its configfs. The values belong to the device.
	h.Mkdir("sys/kernel/config/irdma", "sys/kernel/config/rdma_cm")
	h.Write("fake/irdma/roce_dcqcn_enable", "0")
	old := hosttest.Replacement("mkdir")
	h.Command("mkdir", `case $1 in */irdma/*) /bin/mkdir "$1" && cp "$FAKE_DIR"/irdma/* "$1"; exit ;; esac`+"\n"+old)
	old = hosttest.Replacement("rmdir")
	h.Command("rmdir", `case $1 in */irdma/*) cp "$1"/* "$FAKE_DIR/irdma"; exec /bin/rm -r "$1" ;; esac`+"\n"+old)
	if d != nil {
		for _, f := range render(t, d) {
			if strings.HasPrefix(f.Path, "/etc/rocec/host/") {
				content, ds := f.Edit(nil)
				require.False(t, ds.HasErrors(), "%v", ds)
				h.Write(f.Path[1:], strings.TrimSuffix(string(content), "\n"))
			}
		}
	}
	return h
}

// render returns the files of a device.
func render(t testing.TB, d *ir.Device) []target.File {
	files, ds := Target.Render(d)
	require.False(t, ds.HasErrors(), "%v", ds)
	return files
}

// value returns the content of the value file of a device, without comments.
func value(t testing.TB, d *ir.Device) string {
	for _, f := range render(t, d) {
		if strings.HasPrefix(f.Path, "/etc/rocec/host/") {
			content, _ := f.Edit(nil)
			lines := slices.DeleteFunc(slices.Collect(bytes.Lines(content)), func(l []byte) bool { return bytes.HasPrefix(l, []byte("#")) })
			return string(bytes.Join(lines, nil))
		}
	}
	return ""
}

// run runs a verb of the script from stdin. It returns the text of both outputs, and the status.
func (h *host) run(args ...string) (string, int) {
	r := h.Exec(h.shell, args)
	return strings.ReplaceAll(r.Out+r.Err, h.Root, ""), r.Code
}
