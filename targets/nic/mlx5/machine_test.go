package mlx5

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/hosttest"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// machine simulates a host with mlx5 NICs.
type machine struct {
	*hosttest.Machine
	// trafficClass is the sysfs file traffic_class, or nil if the driver lacks the file. A write adds one line and a read returns a list,
	// which no plain file does, so only the interpreter can simulate it.
	trafficClass *trafficClass
}

// newMachine returns a host with the NICs of d in the state of the factory image, and with their value files.
func newMachine(t testing.TB, d *ir.Device) *machine {
	m := &machine{Machine: hosttest.New(t, "mlx5", script())}
	m.Machine.Open, m.Machine.Beside = m.open, m.beside
	m.Mkdir("sys/bus/pci/drivers/mlx5_core")
	img := Target.Image(d)
	for _, n := range img.Netdevs {
		nic := nicsim.NIC{Netdev: n}
		if n.PCI != "" {
			nic.RDMA = targettest.Sim[*sim.NICs](img.Sims).RDMA(n.Name)
		}
		m.Add(nic)
	}
	for _, b := range d.Host.Bonds {
		var slaves []string
		for _, n := range b.NICs {
			slaves = append(slaves, n.Name)
		}
		m.Bond(b.Name, slaves...)
	}
	for _, f := range rendered(t, d) {
		if strings.HasPrefix(f.Path, "/etc/rocec/host/") {
			m.Write(f.Path, strings.TrimSuffix(content(t, f), "\n"))
		}
	}
	return m
}

// inbox adds the debugfs files of the kernel's own driver to every NIC.
func (m *machine) inbox() *machine {
	for _, pci := range m.Glob("sys/devices/*") {
		at := "sys/kernel/debug/mlx5/" + filepath.Base(pci) + "/cc_params/"
		m.Write(at+"np_cnp_dscp", "0")
		m.Write(at+"np_cnp_prio", "0")
		m.Write(at+"np_cnp_prio_mode", "0")
	}
	return m
}

// lockedDown simulates a host where Secure Boot locks debugfs: every NIC has the remaining files of inbox, and the tool that reads the
// firmware's configuration.
func (m *machine) lockedDown() *machine {
	for _, pci := range m.Glob("sys/devices/*") {
		m.Mkdir("sys/kernel/debug/mlx5/" + filepath.Base(pci) + "/cc_params/np_cnp_dscp") // the directory exists and cannot be read
		m.Mkdir("sys/kernel/debug/mlx5/" + filepath.Base(pci) + "/cc_params/np_cnp_prio")
	}
	m.Command("mstconfig", `case $*,$5 in
'-d 0000:03:00.0 -e query '*,CNP_DSCP_P1) row='*       CNP_DSCP_P1         4       48      48' ;;
'-d 0000:03:00.0 -e query '*,CNP_802P_PRIO_P1) row='        CNP_802P_PRIO_P1    6       6       6' ;;
*) exit 3 ;;
esac
printf 'Device #1:\n----------\n\nConfigurations:            Default Current Next Boot\n%s\n' "$row"`)
	return m
}

// ofed adds the sysfs files of MLNX_OFED to every NIC.
func (m *machine) ofed() *machine {
	for _, dev := range m.Glob("sys/class/net/*/device") {
		at, err := filepath.Rel(m.Root, filepath.Dir(dev))
		require.NoError(m.T, err)
		for p := range 8 {
			m.Write(fmt.Sprintf("%s/ecn/roce_np/enable/%d", at, p), "0")
			m.Write(fmt.Sprintf("%s/ecn/roce_rp/enable/%d", at, p), "0")
		}
		m.Write(at+"/ecn/roce_np/cnp_dscp", "0")
		m.Write(at+"/ecn/roce_np/cnp_802p_prio", "0")
		m.Write(at+"/device/roce_enable", "1")
		m.Write(at+"/settings/vf_roce", "vf_num 0: 0\nvf_num 2: 0\nvf_num 10: 1")
	}
	for _, dev := range m.Glob("sys/class/infiniband/*") {
		at := "sys/class/infiniband/" + filepath.Base(dev)
		m.Write(at+"/ttl/1/ttl", "0")
		m.Write(at+"/tc/1/traffic_class", "")
	}
	m.trafficClass = &trafficClass{}
	return m
}

// mlnxQos replaces dcb by fakeMlnxQos.
func (m *machine) mlnxQos() *machine {
	m.Command("dcb", "exit 1")
	self, err := os.Executable()
	require.NoError(m.T, err)
	require.NoError(m.T, os.Symlink(self, m.Path("usr/sbin/mlnx_qos")))
	return m
}

// beside returns what was written to traffic_class.
func (m *machine) beside() string {
	if m.trafficClass == nil {
		return ""
	}
	return fmt.Sprint(m.trafficClass.writes)
}

// open simulates traffic_class.
func (m *machine) open(path string, write bool) io.ReadWriteCloser {
	switch {
	case m.trafficClass == nil || filepath.Base(path) != "traffic_class":
		return nil
	case write:
		return &classWriter{class: m.trafficClass}
	}
	return struct {
		io.Reader
		io.WriteCloser
	}{strings.NewReader(m.trafficClass.String()), &classWriter{}}
}

// rotate returns the shell for the nth case, or all shells with -whole, without the shells in not.
func rotate(nth int, not ...string) map[string]hosttest.Shell {
	return hosttest.Rotate(nth, *whole, not...)
}

// trafficClass simulates the driver behind tc/P/traffic_class.
type trafficClass struct {
	global string
	rules  []string
	writes []string
}

func (c *trafficClass) String() string {
	s := ""
	if c.global != "" {
		s = "Global tclass=" + c.global + "\n"
	}
	for _, r := range c.rules {
		s += r + "\n"
	}
	return s
}

// write accepts a number, -1, or a rule "tclass=N,MATCH". A rule with -1 as N removes the rule of that match.
func (c *trafficClass) write(line string) {
	c.writes = append(c.writes, line)
	class, match, rule := strings.Cut(line, ",")
	if !rule {
		c.global = strings.TrimPrefix(line, "-1")
		return
	}
	var keep []string
	for _, r := range c.rules {
		if !strings.HasPrefix(r, match+",tclass=") {
			keep = append(keep, r)
		}
	}
	c.rules = keep
	if class != "tclass=-1" {
		c.rules = append(c.rules, match+","+class)
	}
}

// classWriter passes the lines of one write to a trafficClass.
type classWriter struct {
	class *trafficClass
	buf   bytes.Buffer
}

func (w *classWriter) Read([]byte) (int, error)    { return 0, io.EOF }
func (w *classWriter) Write(b []byte) (int, error) { return w.buf.Write(b) }
func (w *classWriter) Close() error {
	if w.class != nil {
		for line := range strings.Lines(w.buf.String()) {
			w.class.write(strings.TrimSpace(line))
		}
	}
	return nil
}

// stateOf returns the live state of a NIC.
func stateOf(t testing.TB, d *ir.Device, nic string) target.File {
	for _, f := range rendered(t, d) {
		if f.Path == "nic/"+nic {
			return f
		}
	}
	t.Fatalf("%s has no nic/%s", d.Name, nic)
	return target.File{}
}
