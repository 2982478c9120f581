package hosttest

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
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

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/sim"
)

// Machine simulates a host: a tree for its /sys, /proc and /etc, the real dcb over its shim, and small replacements for the other commands.
type Machine struct {
	T      testing.TB
	Root   string
	Fake   string // state of the fake tools, and the log of their writes
	Env    []string
	Script []byte

	// Open simulates files of a driver for the interpreter, if no plain file behaves like them; nil: a plain file.
	Open func(path string, write bool) io.ReadWriteCloser

	// Beside returns the state that is not in the tree, for Look. It may be nil.
	Beside func() string
}

// bin contains replacements for ip, modprobe, systemctl and devlink, and for mkdir and rmdir in the configfs of rdma_cm.
//
//go:embed bin
var bin embed.FS

// built is the folder of the shims. Main removes it.
var built string

// shims builds the libraries of this package once.
var shims = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "shims")
	if err != nil {
		return "", err
	}
	built = dir
	for name, source := range map[string]string{
		"dcb": DCBShim, "knobs": Knobs, "devlink": DevlinkShim, "ethtool": EthtoolShim, "rdma": RDMAShim,
	} {
		err = errors.Join(err, Build(filepath.Join(dir, name+".so"), source))
	}
	return dir, err
})

// shim returns the path of a library of this package.
func shim(t testing.TB, name string) string {
	dir, err := shims()
	require.NoError(t, err)
	return filepath.Join(dir, name+".so")
}

// Main runs the tests of a package, and returns the status for os.Exit. It removes the libraries that Machines use.
func Main(m *testing.M) int {
	machinetest.Hasten()
	defer func() {
		if built != "" {
			os.RemoveAll(built)
		}
	}()
	return m.Run()
}

// New returns a host without NICs. driver selects the rules of the dcb shim: mlx5, mlx4, bnxt, ice or qede. script runs by Exec.
func New(t testing.TB, driver string, script []byte) *Machine {
	for _, name := range []string{"gcc", "/usr/include/stdio.h", "/usr/include/libmnl/libmnl.h", "dash", "dcb"} {
		machinetest.Need(t, name)
	}
	m := &Machine{T: t, Root: t.TempDir(), Script: script}
	m.Fake = filepath.Join(m.Root, "fake")
	m.Env = []string{
		"ROCEC_ROOT=" + m.Root, "ROCEC_WAIT=2", "FAKE_DIR=" + m.Fake, "DCBSHIM_DIR=" + m.Fake, "DCBSHIM_DRIVER=" + driver,
		"LD_PRELOAD=" + shim(t, "dcb") + ":" + shim(t, "knobs"), "PATH=/usr/bin:/bin",
	}
	m.Mkdir("fake", "usr/sbin", "sys/kernel/config", "sys/class/infiniband")
	all, err := bin.ReadDir("bin")
	require.NoError(t, err)
	for _, f := range all {
		m.install(f.Name(), Replacement(f.Name()))
	}
	m.install("ethtool", Ethtool)
	return m
}

// install installs a program.
func (m *Machine) install(name, text string) {
	require.NoError(m.T, os.WriteFile(m.Path("usr/sbin/"+name), []byte(text), 0o755))
}

// Replacement returns the script that replaces a command.
func Replacement(name string) string {
	b, err := bin.ReadFile("bin/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Real makes the script run an unmodified devlink, ethtool or rdma with its shim. env begins the command line.
func (m *Machine) Real(tool, env string) {
	m.Command(tool, fmt.Sprintf(`%sLD_PRELOAD=%s exec %s "$@"`, env, shim(m.T, tool), machinetest.Need(m.T, tool)))
}

// Add adds an interface, and with a PCI function also its driver and its RDMA device. The GIDs of the device belong to the interface, or to
// the bond that has it.
func (m *Machine) Add(n sim.NIC) {
	m.Mkdir("sys/class/net/" + n.Name)
	if n.PCI == "" {
		return
	}
	pci := "sys/devices/" + n.PCI
	m.Mkdir(pci, "sys/bus/pci/drivers/"+n.Netdev.Driver)
	if !m.Has(pci + "/driver") { // ports of one function share it
		m.Link("../../bus/pci/drivers/"+n.Netdev.Driver, pci+"/driver")
	}
	m.Link("../../../devices/"+n.PCI, "sys/class/net/"+n.Name+"/device")
	m.Write("sys/class/net/"+n.Name+"/mtu", fmt.Sprint(n.MTU))
	if n.ID[0] != "" {
		m.Write(pci+"/vendor", n.ID[0])
		m.Write(pci+"/device", n.ID[1])
	}
	if n.RDMA != "" {
		m.RDMA(n.PCI, n.RDMA, cmp.Or(n.Master, n.Name))
	}
}

// Bond joins interfaces to a bond.
func (m *Machine) Bond(name string, slaves ...string) {
	for _, slave := range slaves {
		m.Link("../"+name, "sys/class/net/"+slave+"/master")
	}
	m.Write("sys/class/net/"+name+"/bonding/slaves", strings.Join(slaves, " "))
}

// RDMA adds an RDMA device to a PCI function. If the device exists already (a RoCE LAG), only its first PCI function counts.
func (m *Machine) RDMA(pci, dev, netdev string) {
	if m.Has("sys/class/infiniband/" + dev) {
		return
	}
	at := "sys/devices/" + pci + "/infiniband/" + dev
	gids := at + "/ports/1/"
	m.Write(gids+"gids/0", "fe80:0000:0000:0000:5054:00ff:fe12:3456")
	m.Write(gids+"gid_attrs/types/0", "IB/RoCE v1")
	m.Write(gids+"gid_attrs/ndevs/0", netdev)
	m.Write(gids+"gids/1", "0000:0000:0000:0000:0000:ffff:c000:0207")
	m.Write(gids+"gid_attrs/types/1", "RoCE v2")
	m.Write(gids+"gid_attrs/ndevs/1", netdev)
	m.Write(gids+"gids/2", "0000:0000:0000:0000:0000:0000:0000:0000") // an empty slot has neither type nor netdev
	m.Link("../../devices/"+pci+"/infiniband/"+dev, "sys/class/infiniband/"+dev)
}

// Path returns the path of a file of the host.
func (m *Machine) Path(p string) string { return filepath.Join(m.Root, p) }

// Mkdir makes folders.
func (m *Machine) Mkdir(dirs ...string) {
	for _, d := range dirs {
		require.NoError(m.T, os.MkdirAll(m.Path(d), 0o755))
	}
}

// Write writes a file of one line.
func (m *Machine) Write(p, line string) {
	m.Mkdir(filepath.Dir(p))
	require.NoError(m.T, os.WriteFile(m.Path(p), []byte(line+"\n"), 0o644))
}

// Read returns the text of a file without the spaces around it.
func (m *Machine) Read(p string) string {
	b, err := os.ReadFile(m.Path(p))
	require.NoError(m.T, err)
	return strings.TrimSpace(string(b))
}

// Link makes a symbolic link.
func (m *Machine) Link(to, p string) {
	m.Mkdir(filepath.Dir(p))
	require.NoError(m.T, os.Symlink(to, m.Path(p)))
}

// Remove removes a file or a folder.
func (m *Machine) Remove(p string) { require.NoError(m.T, os.RemoveAll(m.Path(p))) }

// Has reports whether a file exists.
func (m *Machine) Has(p string) bool {
	_, err := os.Stat(m.Path(p))
	return err == nil
}

// Glob returns the files that fit a pattern, at least one.
func (m *Machine) Glob(p string) []string {
	found, err := filepath.Glob(m.Path(p))
	require.NoError(m.T, err)
	require.NotEmpty(m.T, found, p)
	return found
}

// Command replaces a command by a script.
func (m *Machine) Command(name, text string) {
	m.install(name, "#!/bin/sh\n"+text+"\n")
}

// Log returns the writes so far.
func (m *Machine) Log() []string {
	b, err := os.ReadFile(filepath.Join(m.Fake, "log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(m.T, err)
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// Bounces returns how often a link went down.
func (m *Machine) Bounces() int { return strings.Count(strings.Join(m.Log(), "\n"), "link bounced") }

// Snapshot sets all modification times back, and then returns the content, mode and modification time of every file.
func (m *Machine) Snapshot() map[string]string {
	old := time.Unix(1_000_000_000, 0)
	require.NoError(m.T, filepath.WalkDir(m.Root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(p, old, old)
	}))
	return m.Look()
}

// Look returns the content, mode and modification time of every file.
func (m *Machine) Look() map[string]string {
	all := map[string]string{}
	require.NoError(m.T, filepath.WalkDir(m.Root, func(p string, d fs.DirEntry, err error) error {
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
		if p == m.Path("sys/kernel/config/rdma_cm") { // a read creates and removes a directory in it
			return nil
		}
		all[strings.TrimPrefix(p, m.Root)] = fmt.Sprint(info.Mode(), " ", info.ModTime().UnixNano(), " ", string(content))
		return nil
	}))
	if m.Beside != nil {
		all["beside"] = m.Beside()
	}
	return all
}

// Changed lists the files that were written, created or removed since a snapshot.
func (m *Machine) Changed(before map[string]string) []string {
	var out []string
	now := m.Look()
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

// Result contains the outputs and the exit status of a command.
type Result struct {
	Out, Err string
	Code     int
}

// Shell runs a verb of the script in one shell.
type Shell func(m *Machine, args ...string) Result

// Shells must all run a script: sh of Debian, RHEL and small systems, shells of custom images, and the interpreter of the lab.
var Shells = map[string]Shell{
	"dash":    func(m *Machine, args ...string) Result { return m.Exec("dash", args) },
	"bash":    func(m *Machine, args ...string) Result { return m.Exec("bash", args) },
	"busybox": func(m *Machine, args ...string) Result { return m.Exec("busybox", args) },
	"ksh":     func(m *Machine, args ...string) Result { return m.Exec("ksh", args) },
	"mksh":    func(m *Machine, args ...string) Result { return m.Exec("mksh", args) },
	"interp":  (*Machine).interpret,
}

// Rotate returns the shell for the nth case: each shell in turn, or all shells, without the shells in not.
func Rotate(nth int, all bool, not ...string) map[string]Shell {
	var names []string
	for _, name := range []string{"dash", "interp", "bash", "busybox", "ksh", "mksh"} {
		if !slices.Contains(not, name) {
			names = append(names, name)
		}
	}
	switch {
	case testing.Short():
		names = names[:1]
	case !all:
		names = []string{names[nth%len(names)]}
	}
	some := map[string]Shell{}
	for _, name := range names {
		some[name] = Shells[name]
	}
	return some
}

// Exec runs a verb of the script from stdin, in a real shell.
func (m *Machine) Exec(shell string, args []string) Result {
	start := []string{"-s", "--"}
	if shell == "busybox" {
		start = []string{"sh", "-s", "--"}
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Minute) // only a script that hangs needs this long
	defer stop()
	cmd := exec.CommandContext(ctx, machinetest.Need(m.T, shell), append(start, args...)...)
	cmd.WaitDelay = time.Second
	cmd.Env = m.Env
	cmd.Dir = m.Root // a file with a wrong name then appears here
	cmd.Stdin = bytes.NewReader(m.Script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(m.T, err)
	}
	return Result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// parsed contains the syntax trees of scripts as POSIX sh. Running a script does not change its tree.
var parsed sync.Map

// interpret runs the script in the interpreter, where Open simulates files of a driver.
func (m *Machine) interpret(args ...string) Result {
	prog, ok := parsed.Load(string(m.Script))
	if !ok {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(bytes.NewReader(m.Script), "rocec-host")
		require.NoError(m.T, err)
		prog, _ = parsed.LoadOrStore(string(m.Script), file)
	}
	open := func(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
		if m.Open != nil {
			if f := m.Open(path, flag&(os.O_WRONLY|os.O_RDWR) != 0); f != nil {
				return f, nil
			}
		}
		return interp.DefaultOpenHandler()(ctx, path, flag, perm)
	}
	var out, errs bytes.Buffer
	r, err := interp.New(interp.StdIO(nil, &out, &errs), interp.Env(expand.ListEnviron(m.Env...)), interp.OpenHandler(open),
		interp.Dir(m.Root), interp.Params(append([]string{"--"}, args...)...))
	require.NoError(m.T, err)
	err = r.Run(context.Background(), prog.(*syntax.File))
	code := 0
	var exit interp.ExitStatus
	if errors.As(err, &exit) {
		code = int(exit)
	} else {
		require.NoError(m.T, err)
	}
	return Result{out.String(), errs.String(), code}
}

// Sh runs a command of a probe.
func (m *Machine) Sh(cmd string) string {
	out, err := exec.Command("sh", "-c", cmd).Output()
	require.NoError(m.T, err)
	return string(out)
}
