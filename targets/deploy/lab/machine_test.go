package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target"
)

// toy has a small sample of each part that a target may provide. A program, a file of sysfs and folders of configfs show and set a
// number, and a daemon reads the number from a file.
type toy struct {
	m target.Machine
	toyState
}

type toyState struct {
	Number int
	Takes  int // number of times that the daemon read its file
}

// Valid implements [target.State].
func (s *toyState) Valid() bool { return s.Number >= 0 && s.Number <= 9 }

// Boot implements [target.Sim].
func (s *toy) Boot(m target.Machine) {
	s.m, s.toyState = m, toyState{}
	m.Keep("toy", &s.toyState)
	set := func(v int) error {
		if v > 9 {
			return target.EINVAL
		}
		s.Number = v
		return nil
	}
	m.Install("/usr/bin/toy", s.tool)
	number := target.NumberNode(func() int { return s.Number }, set)
	m.Plant("/sys/class/net/ens1f0/toy", number)
	m.Plant("/sys/toy", target.Node{Mkdir: func(name string) (map[string]target.Node, error) {
		if len(name) > 1 {
			return nil, target.ENODEV
		}
		return map[string]target.Node{"number": number, "below/name": target.TextNode(func() string { return name }, nil)}, nil
	}})
	m.Link("/sys/link", "class/net/ens1f0/toy")
	m.Service("toy.service", func() error {
		content, err := s.m.ReadFile("/etc/toy")
		if err != nil {
			return nil // the default value
		}
		v, err := strconv.Atoi(strings.TrimSpace(string(content)))
		if err = errors.Join(err, set(v)); err != nil {
			s.m.AppendFile("/var/log/toy", "bad file\n")
			return err
		}
		s.Takes++
		return nil
	})
}

// tool implements toy get, toy set N, toy read FILE and toy mtu NETDEV.
func (s *toy) tool(p *target.Proc) (status int) {
	if len(p.Args) == 3 && p.Args[1] == "read" {
		content, err := p.ReadFile(p.Args[2])
		if err != nil {
			return p.Fail(1, "%s: %v", p.Name(), err)
		}
		p.Print(string(content))
		return 0
	}
	s.m.Do(func() {
		switch {
		case p.Args[1] == "get":
			p.Print(strconv.Itoa(s.Number) + "\n")
		case p.Args[1] == "mtu":
			n, ok := s.m.Netdev(p.Args[2])
			if !ok {
				status = p.Fail(1, "%s: %v", p.Name(), target.ENODEV)
				return
			}
			p.Print(fmt.Sprintln(n.MTU, n.Index, s.m.Counter(n.Name, "drops")))
		case !p.Root:
			status = p.Fail(1, "%s: %v", p.Name(), target.EPERM)
		default:
			if err := s.m.Change(p.CommandLine()); err != nil {
				status = p.Fail(1, "%s: %v", p.Name(), err)
				return
			}
			s.Number, _ = strconv.Atoi(p.Args[2])
		}
	})
	return status
}

// TestSim: a target's part of a device is reachable only as programs, files and services.
func TestSim(t *testing.T) {
	d := hostDevice()
	require.Equal(t, "0\n", root(t, d, "toy get >/f; cat /f"), "stdout may be a file of the device")
	root(t, d, "toy set 7")
	require.Equal(t, "7\n7\n", root(t, d, "cat /sys/class/net/ens1f0/toy /sys/link"))
	require.Contains(t, d.Writes(), "toy set 7")
	require.Contains(t, d.Programs(), "toy set 7")
	require.Equal(t, 1, sh(t, d, "root", "echo 10 >/sys/class/net/ens1f0/toy").status)
	require.Equal(t, 1, sh(t, d, "root", "echo x >/sys/class/net/ens1f0/toy").status)
	require.Equal(t, "644\n", root(t, d, "stat -c %a /sys/class/net/ens1f0/toy"))
	require.Equal(t, "here\n", root(t, d, "cd /tmp; echo here >a; toy read a"))
	require.Equal(t, "piped\n", root(t, d, "echo piped | toy read -"))
	require.Equal(t, result{"", "toy: No such file or directory\n", 1}, sh(t, d, "root", "toy read nope"))
	d.SetCounter("ens1f0", "drops", 5)
	require.Equal(t, "1500 2 5\n", root(t, d, "ip link set dev ens1f0 mtu 1500; toy mtu ens1f0"))
	require.Equal(t, 1, sh(t, d, "root", "toy mtu nope").status)

	require.Equal(t, result{"", "mkdir: cannot create directory '/sys/toy/ab': No such device\n", 1}, sh(t, d, "root", "mkdir /sys/toy/ab"))
	require.Equal(t, "7\na\n", root(t, d, "mkdir /sys/toy/a; cat /sys/toy/a/number /sys/toy/a/below/name"))
	require.Equal(t, 1, sh(t, d, "root", "touch /sys/toy/a/x; ").status, "no file system for files")
	root(t, d, "rmdir /sys/toy/a; test ! -e /sys/toy/a")

	require.Equal(t, "active\n", root(t, d, "systemctl is-active toy"))
	root(t, d, "echo 4 >/etc/toy; systemctl restart toy; systemctl reload toy")
	require.Equal(t, "4\n", root(t, d, "toy get"))
	require.Equal(t, 1, sh(t, d, "root", "echo 44 >/etc/toy; systemctl restart toy").status)
	require.False(t, d.Active("toy"))
	require.Equal(t, "bad file\n", root(t, d, "cat /var/log/toy"))
	require.Equal(t, 2, d.Sims()[0].(*toy).Takes)

	require.Equal(t, 127, sh(t, d, "root", "rm /usr/bin/toy; toy get").status)
	require.Equal(t, 127, sh(t, switchDevice(), "root", "toy get").status, "every device has the parts of its own image")
	require.Equal(t, "0\n", root(t, hostDevice(), "toy get"), "and state of its own")
}

// TestNetdevs: interfaces are in the order of a kernel, and show the values of their image.
func TestNetdevs(t *testing.T) {
	d := hostDevice()
	require.Equal(t, "2 ens1f0\n3 ens1f0.100\n4 eth0\n", root(t, d,
		"for i in ens1f0 ens1f0.100 eth0; do echo $(cat /sys/class/net/$i/ifindex) $i; done"))
	require.Equal(t, "9000\n100000\n", root(t, d, "cat /sys/class/net/ens1f0.100/mtu /sys/class/net/ens1f0/speed"))
	require.Equal(t, "0000:03:00.0 fast\n", root(t, d,
		`a=$(readlink /sys/class/net/ens1f0/device); b=$(readlink /sys/class/net/ens1f0/device/driver); echo ${a##*/} ${b##*/}`))
	require.Equal(t, "driver: fast\nversion: 6.1.0-lab\nfirmware-version: 7.1\nbus-info: 0000:03:00.0\n",
		root(t, d, "ethtool -i ens1f0"))
	require.Equal(t, "NIC statistics:\n     drops: 0\n", root(t, d, "ethtool -S ens1f0"))
	require.Equal(t, result{"", "touch: cannot touch '/sys/class/net/x': Permission denied\n", 1},
		sh(t, d, "root", "touch /sys/class/net/x"))

	require.Equal(t, "RX:\t\ton\nTX:\t\ton\n", root(t, d, "ethtool -a ens1f0 | grep X:"))
	root(t, d, "ethtool -A ens1f0 rx off tx off")
	require.Equal(t, "RX:\t\toff\nTX:\t\toff\n", root(t, d, "ethtool -a ens1f0 | grep X:"))
	require.Equal(t, result{"", "netlink error: Invalid argument\n", 1}, sh(t, d, "root", "ethtool -A ens1f0 autoneg on"))
	require.Equal(t, result{"", "netlink error: No such device\n", 1}, sh(t, d, "root", "ethtool -a nope"))
	require.Equal(t, result{"", "netlink error: Operation not supported\n", 1}, sh(t, d, "root", "ethtool -a eth0"))

	require.Contains(t, root(t, d, "ip link set dev ens1f0.100 type vlan egress-qos-map 0:3 2:3 && ip -d link show dev ens1f0.100"),
		"egress-qos-map { 0:3 2:3 }")
	require.Contains(t, root(t, d, "for _ in 1 2; do ip address replace 192.0.2.9/24 dev ens1f0.100; done; ip -o address show dev ens1f0.100"),
		"    inet 192.0.2.9/24 scope global ens1f0.100\\")
	require.Equal(t, 1, sh(t, d, "root", "ip address replace nonsense dev ens1f0.100").status)
	require.Contains(t, root(t, d, "ip -j -d link show dev ens1f0.100"), `"egress_qos":[{"from":0,"to":3},{"from":2,"to":3}]`)
	root(t, d, "ip link add link ens1f0 name ens1f0.200 type vlan id 200 egress-qos-map 0:5; grep -q ens1f0.200 /proc/net/vlan/config; "+
		"ip link set dev ens1f0 mtu 4200; [ $(cat /sys/class/net/ens1f0/mtu) = 4200 ]; ip link del ens1f0.200")
	require.Equal(t, result{"", "Device \"nope\" does not exist.\n", 1}, sh(t, d, "root", "ip link show nope"))
	root(t, d, "modprobe fast; modprobe 8021q")
	require.Equal(t, 1, sh(t, d, "root", "modprobe nosuch").status)
	require.Equal(t, "2\n3\n4\n", root(t, switchDevice(), "cd /sys/class/net; cat eth0/ifindex swp1/ifindex swp2/ifindex"), "by name")
}

// vendor matches the names of vendors, their systems, drivers and tools.
var vendor = regexp.MustCompile(`(?i)switchd\b|cumulus|sonic|mlx|mlnx|mellanox|nvidia|broadcom|connectx|ofed|\bdcb|rdma|infiniband`)

// TestNoVendor: the lab knows fleets, shells, files, interfaces and services. Only the image has parts of a vendor.
func TestNoVendor(t *testing.T) {
	var files []string
	for _, folder := range []string{"", "unix/", "systemd/"} {
		more, err := filepath.Glob(folder + "*.go")
		require.NoError(t, err)
		require.Greater(t, len(more), 4)
		files = append(files, more...)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(content), "\n") {
			if file == "machine_test.go" && strings.HasPrefix(line, "var vendor = ") {
				continue
			}
			require.Empty(t, vendor.FindString(line), "%s:%d: %s", file, i+1, line)
		}
	}
}

// TestAfter: an alarm of a part of the machine fires by the machine's clock, once, and not after a restart. A file is replaced
// completely.
func TestAfter(t *testing.T) {
	d := switchDevice()
	m := machine{d}
	set := func(after time.Duration, text string) (stop func()) {
		m.Do(func() { stop = m.After(after, func() { m.WriteFile("/etc/alarm/"+text, text) }) })
		return stop
	}
	set(time.Minute, "first")
	set(time.Hour, "late")
	stop := set(time.Minute, "stopped")
	m.Do(stop)
	before := m.Now()
	d.Pass(2 * time.Minute)
	require.GreaterOrEqual(t, m.Now()-before, 2*time.Minute)
	require.Eventually(t, func() bool { data, _ := d.ReadFile("/etc/alarm/first"); return string(data) == "first" }, 10*time.Minute,
		time.Millisecond)
	d.PowerCut()
	d.Pass(2 * time.Hour)
	require.Equal(t, "first\n", root(t, d, "ls /etc/alarm"))
	m.Do(func() { m.WriteFile("/etc/alarm/first", "1") })
	require.Equal(t, "1", root(t, d, "cat /etc/alarm/first"))
	require.Equal(t, "644 root\n", root(t, d, "stat -c '%a %U' /etc/alarm/first"))
}
