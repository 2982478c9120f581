package mlx5

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/mlx5/mlx5test"
	"github.com/rocec/rocec/targets/nic/mlx5/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// machine simulates a host: a tree for its /sys, /proc and /etc, the real dcb over the shim of package mlx5test, and small
// replacements for the other commands.
type machine struct {
	t      testing.TB
	root   string
	fake   string // state of the fake tools, and the log of their writes
	env    []string
	script []byte // run by the real shells; the interpreter runs the script of the package
	// trafficClass is the sysfs file traffic_class, or nil if the driver lacks the file. A write adds one line and a read returns a list,
	// which no plain file does, so only the interpreter can simulate it.
	trafficClass *trafficClass
}

// shimDir is the directory of the built shims. TestMain removes it.
var shimDir string

// shims builds the libraries of package mlx5test once. It returns the paths of the dcb shim and the file shim, as the value of LD_PRELOAD.
var shims = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "shims")
	if err != nil {
		return "", err
	}
	shimDir = dir
	dcb, knobs := filepath.Join(dir, "dcbshim.so"), filepath.Join(dir, "knobs.so")
	return dcb + ":" + knobs, errors.Join(mlx5test.Build(dcb, mlx5test.DCBShim), mlx5test.Build(knobs, mlx5test.Knobs),
		mlx5test.Build(filepath.Join(dir, "devlinkshim.so"), mlx5test.DevlinkShim),
		mlx5test.Build(filepath.Join(dir, "ethtoolshim.so"), mlx5test.EthtoolShim))
})

// newMachine returns a host with the NICs of d in the state of the factory image, and with their value files.
func newMachine(t testing.TB, d *ir.Device) *machine {
	for _, name := range []string{"gcc", "/usr/include/stdio.h", "/usr/include/libmnl/libmnl.h", "dash", "dcb"} {
		machinetest.Need(t, name)
	}
	so, err := shims()
	require.NoError(t, err)
	m := &machine{t: t, root: t.TempDir(), script: script()}
	m.fake = filepath.Join(m.root, "fake")
	m.env = []string{
		"ROCEC_ROOT=" + m.root, "ROCEC_WAIT=2", "FAKE_DIR=" + m.fake, "DCBSHIM_DIR=" + m.fake, "LD_PRELOAD=" + so,
		"PATH=/usr/bin:/bin",
	}
	m.mkdir("fake", "usr/sbin", "sys/bus/pci/drivers/mlx5_core", "sys/kernel/config", "sys/class/infiniband")
	bin, err := filepath.Glob("testdata/bin/*")
	require.NoError(t, err)
	for _, f := range bin {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(m.root, "usr/sbin", filepath.Base(f)), b, 0o755))
	}
	require.NoError(t, os.WriteFile(m.path("usr/sbin/ethtool"), []byte(mlx5test.Ethtool), 0o755))
	img := Target.Image(d)
	for _, n := range img.Netdevs {
		m.mkdir("sys/class/net/" + n.Name)
		if n.PCI == "" {
			continue
		}
		pci := "sys/devices/" + n.PCI
		m.mkdir(pci)
		m.link("../../bus/pci/drivers/"+n.Driver, pci+"/driver")
		m.link("../../../devices/"+n.PCI, "sys/class/net/"+n.Name+"/device")
		m.write("sys/class/net/"+n.Name+"/mtu", fmt.Sprint(n.MTU))
		m.rdma(n.PCI, targettest.Sim[*sim.NICs](img.Sims).RDMA(n.Name), n.Name)
	}
	for _, b := range d.Host.Bonds {
		var slaves []string
		for _, n := range b.NICs {
			slaves = append(slaves, n.Name)
			m.link("../"+b.Name, "sys/class/net/"+n.Name+"/master")
		}
		m.write("sys/class/net/"+b.Name+"/bonding/slaves", strings.Join(slaves, " "))
	}
	for _, f := range rendered(t, d) {
		if strings.HasPrefix(f.Path, "/etc/rocec/host/") {
			m.write(f.Path, strings.TrimSuffix(content(t, f), "\n"))
		}
	}
	return m
}

// rdma adds an RDMA device to a PCI function. If the device exists already (a RoCE LAG), only its first PCI function counts.
func (m *machine) rdma(pci, dev, netdev string) {
	if m.has("sys/class/infiniband/" + dev) {
		return
	}
	at := "sys/devices/" + pci + "/infiniband/" + dev
	gids := at + "/ports/1/"
	if strings.HasPrefix(dev, "mlx5_bond") {
		netdev = "bond0"
	}
	m.write(gids+"gids/0", "fe80:0000:0000:0000:5054:00ff:fe12:3456")
	m.write(gids+"gid_attrs/types/0", "IB/RoCE v1")
	m.write(gids+"gid_attrs/ndevs/0", netdev)
	m.write(gids+"gids/1", "0000:0000:0000:0000:0000:ffff:c000:0207")
	m.write(gids+"gid_attrs/types/1", "RoCE v2")
	m.write(gids+"gid_attrs/ndevs/1", netdev)
	m.write(gids+"gids/2", "0000:0000:0000:0000:0000:0000:0000:0000") // an empty slot has neither type nor netdev
	m.link("../../devices/"+pci+"/infiniband/"+dev, "sys/class/infiniband/"+dev)
}

// inbox adds the debugfs files of the kernel's own driver to every NIC.
func (m *machine) inbox() *machine {
	for _, pci := range m.glob("sys/devices/*") {
		at := "sys/kernel/debug/mlx5/" + filepath.Base(pci) + "/cc_params/"
		m.write(at+"np_cnp_dscp", "0")
		m.write(at+"np_cnp_prio", "0")
		m.write(at+"np_cnp_prio_mode", "0")
	}
	return m
}

// lockedDown simulates a host where Secure Boot locks debugfs: every NIC has the remaining files of inbox, and the tool that reads the
// firmware's configuration.
func (m *machine) lockedDown() *machine {
	for _, pci := range m.glob("sys/devices/*") {
		m.mkdir("sys/kernel/debug/mlx5/" + filepath.Base(pci) + "/cc_params/np_cnp_dscp") // the directory exists and cannot be read
		m.mkdir("sys/kernel/debug/mlx5/" + filepath.Base(pci) + "/cc_params/np_cnp_prio")
	}
	m.command("mstconfig", `case $*,$5 in
'-d 0000:03:00.0 -e query '*,CNP_DSCP_P1) row='*       CNP_DSCP_P1         4       48      48' ;;
'-d 0000:03:00.0 -e query '*,CNP_802P_PRIO_P1) row='        CNP_802P_PRIO_P1    6       6       6' ;;
*) exit 3 ;;
esac
printf 'Device #1:\n----------\n\nConfigurations:            Default Current Next Boot\n%s\n' "$row"`)
	return m
}

// ofed adds the sysfs files of MLNX_OFED to every NIC.
func (m *machine) ofed() *machine {
	for _, dev := range m.glob("sys/class/net/*/device") {
		at, err := filepath.Rel(m.root, filepath.Dir(dev))
		require.NoError(m.t, err)
		for p := range 8 {
			m.write(fmt.Sprintf("%s/ecn/roce_np/enable/%d", at, p), "0")
			m.write(fmt.Sprintf("%s/ecn/roce_rp/enable/%d", at, p), "0")
		}
		m.write(at+"/ecn/roce_np/cnp_dscp", "0")
		m.write(at+"/ecn/roce_np/cnp_802p_prio", "0")
		m.write(at+"/device/roce_enable", "1")
		m.write(at+"/settings/vf_roce", "vf_num 0: 0\nvf_num 2: 0\nvf_num 10: 1")
	}
	for _, dev := range m.glob("sys/class/infiniband/*") {
		at := "sys/class/infiniband/" + filepath.Base(dev)
		m.write(at+"/ttl/1/ttl", "0")
		m.write(at+"/tc/1/traffic_class", "")
	}
	m.trafficClass = &trafficClass{}
	return m
}

func (m *machine) path(p string) string { return filepath.Join(m.root, p) }

func (m *machine) mkdir(dirs ...string) {
	for _, d := range dirs {
		require.NoError(m.t, os.MkdirAll(m.path(d), 0o755))
	}
}

func (m *machine) write(p, line string) {
	m.mkdir(filepath.Dir(p))
	require.NoError(m.t, os.WriteFile(m.path(p), []byte(line+"\n"), 0o644))
}

func (m *machine) read(p string) string {
	b, err := os.ReadFile(m.path(p))
	require.NoError(m.t, err)
	return strings.TrimSpace(string(b))
}

func (m *machine) link(to, p string) {
	m.mkdir(filepath.Dir(p))
	require.NoError(m.t, os.Symlink(to, m.path(p)))
}

func (m *machine) remove(p string) { require.NoError(m.t, os.RemoveAll(m.path(p))) }

func (m *machine) has(p string) bool {
	_, err := os.Stat(m.path(p))
	return err == nil
}

func (m *machine) glob(p string) []string {
	found, err := filepath.Glob(m.path(p))
	require.NoError(m.t, err)
	require.NotEmpty(m.t, found, p)
	return found
}

// command replaces a command by a script.
func (m *machine) command(name, text string) {
	require.NoError(m.t, os.WriteFile(m.path("usr/sbin/"+name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
}

// mlnxQos replaces dcb by fakeMlnxQos.
func (m *machine) mlnxQos() *machine {
	m.command("dcb", "exit 1")
	self, err := os.Executable()
	require.NoError(m.t, err)
	require.NoError(m.t, os.Symlink(self, m.path("usr/sbin/mlnx_qos")))
	return m
}

// log returns the writes so far.
func (m *machine) log() []string {
	b, err := os.ReadFile(filepath.Join(m.fake, "log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(m.t, err)
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// bounces returns how often a link went down.
func (m *machine) bounces() int { return strings.Count(strings.Join(m.log(), "\n"), "link bounced") }

// snapshot sets all modification times back, and then returns the content, mode and modification time of every file.
func (m *machine) snapshot() map[string]string {
	old := time.Unix(1_000_000_000, 0)
	require.NoError(m.t, filepath.WalkDir(m.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(p, old, old)
	}))
	return m.look()
}

func (m *machine) look() map[string]string {
	all := map[string]string{}
	require.NoError(m.t, filepath.WalkDir(m.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			if content, err = os.ReadFile(p); err != nil {
				return err
			}
		}
		if p == m.path("sys/kernel/config/rdma_cm") { // a read creates and removes a directory in it
			return nil
		}
		all[strings.TrimPrefix(p, m.root)] = fmt.Sprint(info.Mode(), " ", info.ModTime().UnixNano(), " ", string(content))
		return nil
	}))
	if m.trafficClass != nil {
		all["traffic_class"] = fmt.Sprint(m.trafficClass.writes)
	}
	return all
}

// changed lists the files that were written, created or removed since a snapshot.
func (m *machine) changed(before map[string]string) []string {
	var out []string
	now := m.look()
	for p, v := range now {
		if before[p] != v {
			out = append(out, p+": "+v)
		}
	}
	for p := range before {
		if _, ok := now[p]; !ok {
			out = append(out, p+": gone")
		}
	}
	return out
}

// result contains the outputs and the exit status of a command.
type result struct {
	out, err string
	code     int
}

// shells must all run the script: sh of Debian, RHEL and small systems, shells of custom images, and the interpreter of the lab.
var shells = map[string]func(m *machine, args ...string) result{
	"dash":    func(m *machine, args ...string) result { return m.exec("dash", args) },
	"bash":    func(m *machine, args ...string) result { return m.exec("bash", args) },
	"busybox": func(m *machine, args ...string) result { return m.exec("busybox", args) },
	"ksh":     func(m *machine, args ...string) result { return m.exec("ksh", args) },
	"mksh":    func(m *machine, args ...string) result { return m.exec("mksh", args) },
	"interp": func(m *machine, args ...string) result {
		var out, errs bytes.Buffer
		return m.interpret(&out, &errs, args)
	},
}

var whole = flag.Bool("whole", false, "every case in every shell, and every cell of the matrix, rather than some")

// rotate returns the shell for the nth case: each shell in turn, or all shells with -whole, without the shells in not.
func rotate(nth int, not ...string) map[string]func(m *machine, args ...string) result {
	var names []string
	for _, name := range []string{"dash", "interp", "bash", "busybox", "ksh", "mksh"} {
		if !slices.Contains(not, name) {
			names = append(names, name)
		}
	}
	switch {
	case testing.Short():
		names = names[:1]
	case !*whole:
		names = []string{names[nth%len(names)]}
	}
	some := map[string]func(m *machine, args ...string) result{}
	for _, name := range names {
		some[name] = shells[name]
	}
	return some
}

func (m *machine) exec(shell string, args []string) result {
	start := []string{"-s", "--"}
	if shell == "busybox" {
		start = []string{"sh", "-s", "--"}
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Minute) // only a script that hangs needs this long
	defer stop()
	cmd := exec.CommandContext(ctx, machinetest.Need(m.t, shell), append(start, args...)...)
	cmd.WaitDelay = time.Second
	cmd.Env = m.env
	cmd.Dir = m.root // a file with a wrong name then appears here
	cmd.Stdin = bytes.NewReader(m.script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(m.t, err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// parsed returns the syntax tree of the script as POSIX sh. Running the script does not change the tree.
var parsed = sync.OnceValues(func() (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(bytes.NewReader(script()), "rocec-host")
})

// interpret runs the script in the interpreter, where a simulated driver implements traffic_class.
func (m *machine) interpret(out, errs *bytes.Buffer, args []string) result {
	prog, err := parsed()
	require.NoError(m.t, err)
	open := func(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
		if m.trafficClass != nil && filepath.Base(path) == "traffic_class" {
			if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
				return &classWriter{class: m.trafficClass}, nil
			}
			return struct {
				io.Reader
				io.WriteCloser
			}{strings.NewReader(m.trafficClass.String()), &classWriter{}}, nil
		}
		return interp.DefaultOpenHandler()(ctx, path, flag, perm)
	}
	r, err := interp.New(interp.StdIO(nil, out, errs), interp.Env(expand.ListEnviron(m.env...)), interp.OpenHandler(open),
		interp.Dir(m.root), interp.Params(append([]string{"--"}, args...)...))
	require.NoError(m.t, err)
	err = r.Run(m.t.(*testing.T).Context(), prog)
	code := 0
	var exit interp.ExitStatus
	if errors.As(err, &exit) {
		code = int(exit)
	} else {
		require.NoError(m.t, err)
	}
	return result{out.String(), errs.String(), code}
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

// sh runs a command of a probe.
func (m *machine) sh(cmd string) string {
	out, err := exec.Command("sh", "-c", cmd).Output()
	require.NoError(m.t, err)
	return string(out)
}
