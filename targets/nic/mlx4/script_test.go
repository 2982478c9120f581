package mlx4

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nic/hosttest"
	"github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

func TestMain(m *testing.M) { os.Exit(hosttest.Main(m)) }

// host simulates a host. Its card has two ports, ens1 and ens1d1, which are one PCI function with one RDMA device.
type host struct{ *hosttest.Machine }

const values = `dcbx=host
ets_bw=50,0,0,0,50,0,0,0
ets_tc=0,0,0,0,4,0,0,0
ets_tsa=ets,strict,strict,strict,ets,strict,strict,strict
mtu=4200
pause=off
pfc=0,0,0,0,1,0,0,0
roce_mode=IB/RoCE v1
vlan=100
vlan_map=0:4,2:4,4:4,6:4
`

func newHost(t *testing.T) *host {
	h := &host{hosttest.New(t, "mlx4", family.Script())}
	h.Env = append(h.Env, "ROCEC_WAIT=1")
	h.Command("sleep", ":")
	// The device keeps the defaults of both ports.
	h.Command("mkdir", `[ "$1" != -p ] || exec /bin/mkdir -p "$2"
/bin/mkdir "$1" && cp -r "$FAKE_DIR/ports" "$1"`)
	h.Command("rmdir", `case $1 in */rdma_cm/*) rm -r "$FAKE_DIR/ports" && mv "$1/ports" "$FAKE_DIR" ;; esac
/bin/rmdir "$1"`)
	for _, port := range []string{"1", "2"} {
		h.Write("fake/ports/"+port+"/default_roce_mode", "RoCE v2")
		h.Write("fake/ports/"+port+"/default_roce_tos", "0")
		h.Write("sys/devices/0000:03:00.0/infiniband/mlx4_0/ports/"+port+"/state", "4: ACTIVE")
	}
	for i, name := range []string{"ens1", "ens1d1"} {
		h.Add(sim.NIC{
			Netdev: target.Netdev{Name: name, Driver: "mlx4_core", PCI: "0000:03:00.0", MTU: 4200}, RDMA: "mlx4_0",
		})
		h.Write("sys/class/net/"+name+"/dev_port", strconv.Itoa(i))
		h.Write("sys/class/net/"+name+".100/mtu", "4200")
		h.Write("etc/rocec/host/"+name+".conf", strings.TrimSuffix(values, "\n"))
	}
	return h
}

// run runs a verb of the script from stdin, in the shell of Debian. It returns the text of both outputs, and the status.
func (h *host) run(args ...string) (string, int) {
	r := h.Exec("dash", args)
	return r.Out + r.Err, r.Code
}

// Each port of a card has its own priorities and its own RDMA-CM defaults, and a second apply writes nothing.
func TestBothPorts(t *testing.T) {
	h := newHost(t)
	out, code := h.run("apply", "ens1d1")
	require.Zero(t, code, out)
	assert.Equal(t, "IB/RoCE v1", h.Read("fake/ports/2/default_roce_mode"))
	assert.Equal(t, "RoCE v2", h.Read("fake/ports/1/default_roce_mode"), "of the other port")
	out, code = h.run("apply", "ens1")
	require.Zero(t, code, out)
	assert.Equal(t, "IB/RoCE v1", h.Read("fake/ports/1/default_roce_mode"))
	log := h.Read("fake/log")
	for _, name := range []string{"ens1", "ens1d1"} {
		assert.Contains(t, log, name+" ethtool -A off off")
		assert.Contains(t, log, name+" pfc 10")
		assert.Equal(t, "0:4 2:4 4:4 6:4", h.Read("fake/"+name+".100"))
		out, code = h.run("apply", name)
		require.Zero(t, code, out)
		out, code = h.run("check", name)
		require.Zero(t, code, out)
	}
	assert.Equal(t, log, h.Read("fake/log"), "nothing is left to do")

	out, code = h.run("show", "ens1")
	require.Zero(t, code)
	assert.NotContains(t, out, "trust=")
	assert.NotContains(t, out, "dscp_prio")

	out, code = h.run("leave", "ens1d1")
	require.Zero(t, code, out)
	assert.Equal(t, "RoCE v2", h.Read("fake/ports/2/default_roce_mode"))
	out, _ = h.run("show", "ens1d1")
	assert.Contains(t, out, "pause=on\npfc=0,0,0,0,0,0,0,0\n", "as it was before")
	_, code = h.run("check", "ens1")
	assert.Zero(t, code, "the other port keeps its settings")
}

// An obstacle is reported with its remedy, and never counts as success.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  string
	}{
		{"another driver", func(h *host) {
			h.Remove("sys/devices/0000:03:00.0/driver")
			h.Link("../../bus/pci/drivers/mlx5_core", "sys/devices/0000:03:00.0/driver")
		}, "the driver is mlx5_core, and these settings are for mlx4_core"},
		{"lldpad", func(h *host) { h.Write("fake/lldpad", "") }, "lldpad is active"},
		{"no tool", func(h *host) { h.Command("dcb", "exit 1") }, "neither dcb (iproute2) nor mlnx_qos"},
		{"a DSCP map", func(h *host) {
			h.Write("etc/rocec/host/ens1.conf", values+"trust=dscp")
		}, "not a setting of this script: trust=dscp"},
		{"no RDMA device", func(h *host) {
			h.Remove("sys/devices/0000:03:00.0/infiniband")
		}, "no RDMA device appeared in 1 s; is mlx4_ib loaded"},
		{"a version that does not take", func(h *host) {
			h.Command("rmdir", `rm -r "$1"`)
			h.Write("sys/module/mlx4_core/parameters/roce_mode", "2")
		}, "roce_mode is RoCE v2, not IB/RoCE v1\nrocec-host-mlx4: ens1: the vendor's driver has the parameter roce_mode, for all cards of " +
			"the host; it is 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			c.spoil(h)
			out, code := h.run("apply", "ens1")
			assert.Equal(t, 1, code)
			assert.Contains(t, out, c.want)
		})
	}
}
