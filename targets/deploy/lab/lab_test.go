package lab

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// testTree is a switch and a host with images of the test's own.
func testTree() *target.Tree {
	sw := &target.Target{Image: func(*ir.Device) target.Image {
		return target.Image{
			Files:    map[string]string{trafficConf: goodTraffic, "/etc/os-release": "ID=cumulus-linux\nVERSION_ID=4.3.0\n", reloadNode: "0\n"},
			Services: []string{switchdUnit},
			Ports:    []string{"eth0", "swp1", "swp2"},
		}
	}}
	host := &target.Target{Image: func(*ir.Device) target.Image {
		return target.Image{
			Files: map[string]string{"/etc/os-release": "ID=debian\n"},
			Ports: []string{"eth0", "ens1f0.100"},
			NICs:  []target.LabNIC{{Netdev: "ens1f0", RDMA: "mlx5_0", Driver: "mlx5_core", PCI: "0000:03:00.0", MTU: 9000, SpeedMbps: 100000}},
		}
	}}
	return &target.Tree{Devices: []*target.Device{
		{Name: "leaf01", Role: target.Switch, Target: sw},
		{Name: "host01", Role: target.Host, Target: host},
	}}
}

const goodTraffic = `# a switch
traffic.packet_priority_source_set = [802.1p]
traffic.cos_0.priority_source.8021p = [0]
traffic.cos_1.priority_source.8021p = [1]
traffic.cos_2.priority_source.8021p = [2]
traffic.cos_3.priority_source.8021p = []
traffic.cos_4.priority_source.8021p = [3,4]
traffic.cos_5.priority_source.8021p = [5]
traffic.cos_6.priority_source.8021p = [6]
traffic.cos_7.priority_source.8021p = [7]
traffic.priority_group_list = [control, service, bulk]
priority_group.control.cos_list = [7]
priority_group.service.cos_list = [2]
priority_group.bulk.cos_list = [0,1,3,4,5,6]
`

func switchDevice() *Device { return newDevice(testTree().Devices[0]) }
func hostDevice() *Device   { return newDevice(testTree().Devices[1]) }

// result is what a command came to.
type result struct {
	out, err string
	status   int
}

// sh runs a command on a device as sshd would, without the wire.
func sh(t *testing.T, d *Device, user, cmd string, stdin ...string) result {
	t.Helper()
	ses := newSession(context.Background(), d)
	var out, errs lockedBuffer
	in := io.NopCloser(strings.NewReader(strings.Join(stdin, "")))
	status := ses.run(d.users[user], cmd, in, &out, &errs)
	ses.end()
	return result{out.String(), errs.String(), status}
}

// lockedBuffer takes the output of jobs that run at the same time, as an SSH channel does. A job in the background may
// be about to write when its session ends.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// root runs a command that must succeed and returns what it printed.
func root(t *testing.T, d *Device, cmd string, stdin ...string) string {
	t.Helper()
	r := sh(t, d, "root", cmd, stdin...)
	require.Equal(t, 0, r.status, "%s\n%s%s", cmd, r.out, r.err)
	return r.out
}

func TestSmoke(t *testing.T) {
	d := hostDevice()
	require.Equal(t, "hello\n", root(t, d, "echo hello"))
	require.Equal(t, "ens1f0\neth0\n", root(t, d, "ls /sys/class/net | grep -v 100"))
	require.Equal(t, "abc", root(t, d, "cat > /etc/x; cat /etc/x", "abc"))
}
