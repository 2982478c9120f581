//go:build linux

package nspawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// runtimeDir contains a lock and a folder for every slot. Its path is short because socket names have a length limit.
const runtimeDir = "/run/rocec-test"

// slot is a number that no other device on this machine has. The device's addresses, cable, cgroups and folders contain it.
type slot struct {
	n      int
	unlock func() error
}

// claim acquires a free slot.
func claim() (*slot, error) {
	if err := os.MkdirAll(runtimeDir, 0o755); err != nil {
		return nil, err
	}
	for n := 1; n < 128; n++ {
		s := &slot{n: n}
		if err := s.take(); !errors.Is(err, syscall.EWOULDBLOCK) {
			return s, err
		}
	}
	return nil, errors.New("127 devices run on this machine already")
}

// take locks the slot and removes the leftovers of a killed test. EWOULDBLOCK: another test has the slot.
func (s *slot) take() (err error) {
	if s.unlock, err = lock(filepath.Join(runtimeDir, fmt.Sprintf("%d.lock", s.n)), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	if err = s.sweep(); err == nil {
		err = os.Mkdir(s.path(""), 0o700)
	}
	if err != nil {
		return errors.Join(err, s.unlock())
	}
	return nil
}

// path returns the path of a name in the slot's folder.
func (s *slot) path(name string) string { return filepath.Join(runtimeDir, strconv.Itoa(s.n), name) }

// addr returns the address of an end of the cable: 0 is the end of this machine, 1 the end of the device.
func (s *slot) addr(end int) string { return fmt.Sprintf("198.51.100.%d", 2*s.n+end) }

// mac returns the hardware address of an end of the cable.
func (s *slot) mac(end int) string { return fmt.Sprintf("02:00:c6:33:64:%02x", 2*s.n+end) }

// link returns the name of this machine's end of the cable.
func (s *slot) link() string { return fmt.Sprintf("rocectest%d", s.n) }

// cgroup returns the name of the slot's groups.
func (s *slot) cgroup() string { return fmt.Sprintf("rocec-test.%d", s.n) }

// release removes the contents of the slot and gives it back.
func (s *slot) release() error { return errors.Join(s.sweep(), s.unlock()) }

func (s *slot) sweep() error {
	errs := []error{os.RemoveAll(s.path("")), remove(s.disk())}
	for _, dir := range cgroups() {
		errs = append(errs, removeGroup(filepath.Join(dir, s.cgroup())))
	}
	errs = append(errs, patience(func() error { // the cable disappears together with the namespace of its far end, which takes a moment
		if _, err := os.Stat("/sys/class/net/" + s.link()); err == nil {
			return run("ip", "link", "del", s.link())
		}
		return nil
	}))
	return errors.Join(errs...)
}

// disk returns the file that contains the device's disk.
func (s *slot) disk() string { return filepath.Join(cache, "disks", strconv.Itoa(s.n)+".ext4") }

// cgroups returns the folders in which systemd makes its groups: the unified hierarchy, or the hierarchies of version 1.
func cgroups() []string {
	const all = "/sys/fs/cgroup"
	var dirs []string
	for _, dir := range []string{all, all + "/systemd", all + "/unified"} {
		if _, err := os.Stat(dir + "/cgroup.procs"); err != nil {
			continue
		}
		if dir == all {
			return []string{all}
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// removeGroup removes a cgroup with its subgroups, and kills their processes.
func removeGroup(dir string) error {
	var groups []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && e.IsDir() {
			groups = append(groups, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := len(groups) - 1; i >= 0; i-- {
		err := patience(func() error {
			procs, err := os.ReadFile(groups[i] + "/cgroup.procs")
			if err != nil {
				return nil // gone
			}
			for word := range strings.FieldsSeq(string(procs)) {
				if pid, err := strconv.Atoi(word); err == nil && pid > 0 {
					_ = syscall.Kill(pid, syscall.SIGKILL) // the group may be gone already
				}
			}
			return remove(groups[i])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// process is a process of the test that dies with the test.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// starter starts processes on one thread that lives as long as the test, because a process with Pdeathsig dies with the thread that
// started it.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// spawn starts a process with separate namespaces. The process is killed when the test ends in any way.
func spawn(namespaces uintptr, stdout *os.File, name string, args ...string) (*process, error) {
	p := &process{cmd: command(context.Background(), name, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = stdout, stdout
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	starter() <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // Wait reports that the process was killed
		close(p.done)
	}()
	return p, nil
}

func (p *process) pid() string { return strconv.Itoa(p.cmd.Process.Pid) }

func (p *process) kill() error {
	err := p.cmd.Process.Kill()
	<-p.done
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
