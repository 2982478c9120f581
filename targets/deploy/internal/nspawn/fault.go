//go:build linux

package nspawn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
)

// Fault is a fault that was injected into a device.
type Fault struct {
	Name string // "power cut"

	err   error
	proof func() error
}

// Fired returns nil if the fault is known to have happened. Some faults happen only after a while, such as a hanging command or a dying
// daemon. So a test calls Fired at its end.
func (f Fault) Fired() error {
	err := f.err
	if err == nil && f.proof != nil {
		err = f.proof()
	}
	if err != nil {
		return fmt.Errorf("the fault %q did not fire: %w", f.Name, err)
	}
	return nil
}

// done returns a fault whose result is already known.
func done(name string, err error) Fault { return Fault{Name: name, err: err} }

// KillSessions kills every sshd that serves a connection. Commands of the sessions go on, and new logins work.
func (d *Device) KillSessions() Fault {
	const name = "sessions killed"
	leader, err := d.up()
	if err != nil {
		return done(name, err)
	}
	children, sessions := sshdtest.Children(), 0
	var visit func(pid int, below bool)
	visit = func(pid int, below bool) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // the process may have ended
		sshd := strings.HasPrefix(string(line), "sshd: ")
		if sshd && below && syscall.Kill(pid, syscall.SIGKILL) == nil && strings.Contains(string(line), "@") {
			sessions++ // "sshd: USER@notty"; before a login the title has no @
		}
		for _, child := range children[pid] {
			visit(child, sshd)
		}
	}
	visit(leader, false)
	if sessions == 0 {
		err = errors.New("nobody was logged in")
	}
	return done(name, err)
}

// CutNetwork makes the device a black hole until RestoreNetwork.
func (d *Device) CutNetwork() Fault {
	return done("network cut", d.setLink("down"))
}

// RestoreNetwork ends CutNetwork.
func (d *Device) RestoreNetwork() error { return d.setLink("up") }

// setLink sets the device's end of the cable up or down.
func (d *Device) setLink(state string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.power == nil {
		return fmt.Errorf("%s is switched off", d.Name)
	}
	return d.power.ip("link", "set", "eth0", state)
}

// Loss states which unsynced writes a power cut loses.
type Loss uint32

// The losses, as numbers of EXT4_IOC_SHUTDOWN.
const (
	LoseData    Loss = 1 // the journal reaches the disk and file contents do not, so files have names without content
	LoseJournal Loss = 2 // neither does
)

// String names the loss for tables.
func (l Loss) String() string {
	if l == LoseData {
		return "data lost"
	}
	return "journal lost"
}

const (
	ioctlShutdown = 0x8004587d // EXT4_IOC_SHUTDOWN
	ioctlGetFlags = 0x80086601 // FS_IOC_GETFLAGS
	ioctlSetFlags = 0x40086602 // FS_IOC_SETFLAGS
	flagImmutable = 0x10       // FS_IMMUTABLE_FL
)

func ioctl(f *os.File, request uintptr, arg *uint32) error {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(arg)))
	if errno != 0 {
		return os.NewSyscallError("ioctl", errno)
	}
	return nil
}

// canary is a file that is written without a sync just before the power cut.
const canary = "var/tmp/rocec-test.canary"

// PowerOff cuts the power, also while the device boots. The device sends no more packets, every process is gone, and the disk lacks the
// unsynced writes. The device stays off until [Device.PowerOn]. The fault has fired when the device is up again without the canary.
func (d *Device) PowerOff(loss Loss) Fault {
	r, err := d.mounted()
	if err == nil {
		err = d.off(func() error {
			defer r.Close()
			err := r.WriteFile(canary, []byte("not synced\n"), 0o600)
			if err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EROFS) {
				return err
			}
			dir, err := r.Open("etc")
			if err != nil {
				return err
			}
			defer dir.Close()
			how := uint32(loss)
			return ioctl(dir, ioctlShutdown, &how)
		})
	}
	return Fault{Name: "power cut, " + loss.String(), err: err, proof: func() error {
		content, err := d.ReadFile(canary)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(content) > 0 {
			return errors.New("unsynced writes are still there")
		}
		return nil
	}}
}

// PowerCut does a PowerOff, and boots the device again at once.
func (d *Device) PowerCut(loss Loss) Fault {
	f := d.PowerOff(loss)
	if f.err == nil {
		f.err = d.PowerOn()
	}
	return f
}

// Reboot reboots the device cleanly and waits until it is up.
func (d *Device) Reboot() Fault {
	before, err := d.BootID()
	d.mu.Lock()
	ups := d.ups
	d.mu.Unlock()
	if err == nil { // without logind, which may fail to start on a device that has just booted; the reboot may end the command itself
		_, err = d.Exec("systemctl --no-block --job-mode=replace-irreversibly start reboot.target")
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && !exit.Exited() {
			err = nil
		}
	}
	if err == nil {
		err = d.awaitBoot(ups)
	}
	return Fault{Name: "reboot", err: err, proof: func() error {
		after, err := d.BootID()
		if err == nil && after == before {
			err = errors.New("the boot id is the same")
		}
		return err
	}}
}

// BootID returns the boot ID of the kernel.
func (d *Device) BootID() (string, error) {
	id, err := d.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id)), err
}

// filler is the path of a file that uses all free space of a disk.
const filler = "/var/tmp/rocec-test.filler"

// FillDisk uses all free space until FreeDisk.
func (d *Device) FillDisk() Fault {
	return done("disk full", d.within(filler, func(r *os.Root, name string) error {
		f, err := r.Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return fill(int(f.Fd()))
	}))
}

// fills bounds the number of times that fill uses space that became free meanwhile.
const fills = 20

// fill grows a file until the file system has no free space. Each try commits the journal first, because ext4 frees the blocks of a
// removed file only then, and services of the device remove files meanwhile.
func fill(fd int) error {
	at := int64(0)
	var left syscall.Statfs_t
	for range fills {
		if err := syscall.Fsync(fd); err != nil {
			return err
		}
		for size := int64(diskSize); size >= 512; {
			switch err := syscall.Fallocate(fd, 0, at, size); err {
			case nil:
				at += size
			case syscall.ENOSPC:
				size /= 2
			default:
				return err
			}
		}
		if err := syscall.Fstatfs(fd, &left); err != nil {
			return err
		}
		if left.Bavail == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d blocks are still free", left.Bavail)
}

// FreeDisk ends FillDisk.
func (d *Device) FreeDisk() error {
	return d.within(filler, func(r *os.Root, name string) error { return r.Remove(name) })
}

// ReadOnly makes the disk read-only, as an error of its file system does. A power cut or a reboot makes it writable again.
func (d *Device) ReadOnly() Fault {
	const name = "file system read-only"
	if _, err := d.up(); err != nil {
		return done(name, err)
	}
	loop := d.loop()
	if err := os.WriteFile("/sys/fs/ext4/"+loop+"/trigger_fs_error", []byte("1"), 0o200); err != nil {
		return done(name, err)
	}
	err := d.within(canary, func(r *os.Root, name string) error { return r.WriteFile(name, nil, 0o600) })
	if errors.Is(err, syscall.EROFS) {
		return done(name, nil)
	}
	return done(name, errors.Join(errors.New("it can still be written"), err))
}

// Immutable makes every change, replacement or removal of a file fail until Mutable.
func (d *Device) Immutable(path string) Fault {
	err := d.setImmutable(path, true)
	if err == nil {
		err = d.within(path, func(r *os.Root, name string) error {
			f, err := r.OpenFile(name, os.O_WRONLY, 0)
			if err == nil {
				return errors.Join(errors.New("it can still be written"), f.Close())
			}
			if errors.Is(err, syscall.EPERM) {
				return nil
			}
			return err
		})
	}
	return done("immutable file", err)
}

// Mutable ends Immutable.
func (d *Device) Mutable(path string) error { return d.setImmutable(path, false) }

func (d *Device) setImmutable(path string, on bool) error {
	return d.within(path, func(r *os.Root, name string) error {
		f, err := r.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		var flags uint32
		if err := ioctl(f, ioctlGetFlags, &flags); err != nil {
			return err
		}
		flags &^= flagImmutable
		if on {
			flags |= flagImmutable
		}
		return ioctl(f, ioctlSetFlags, &flags)
	})
}

// sudoers is the file that lets the user become root. revoked is its name while the right is revoked; sudo skips names with a dot.
const sudoers, sudoersOff = "/etc/sudoers.d/rocec", "/etc/sudoers.d/rocec.off"

// RevokeSudo removes the user's right to become root until GrantSudo.
func (d *Device) RevokeSudo() Fault {
	err := d.rename(sudoers, sudoersOff)
	if err == nil {
		if _, no := d.Exec("runuser -u " + d.User + " -- sudo -n true"); no == nil {
			err = errors.New(d.User + " can still become root")
		}
	}
	return done("sudo revoked", err)
}

// GrantSudo ends RevokeSudo.
func (d *Device) GrantSudo() error { return d.rename(sudoersOff, sudoers) }

func (d *Device) rename(from, to string) error {
	return d.within(from, func(r *os.Root, name string) error { return r.Rename(name, strings.TrimPrefix(to, "/")) })
}

// How is the way an editor writes a file.
type How string

// An editor writes a file in place, or renames a new file over the old one.
const (
	InPlace  How = "in place"
	ByRename How = "by rename"
)

// EditFile changes a file like another user who is logged in.
func (d *Device) EditFile(path string, content []byte, how How) Fault {
	write := path
	if how == ByRename {
		write = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
	}
	err := d.WriteFile(write, content)
	if err == nil && how == ByRename {
		err = d.rename(write, path)
	}
	return done("third-party edit "+string(how), err)
}

// ClockJump moves the wall clock that programs of the device read; a jump of 0 restores the clock. Timers of systemd and time stamps of
// files do not move, because they use the kernel's clock, which this machine shares.
func (d *Device) ClockJump(by time.Duration) Fault {
	f, err := os.OpenFile(d.slot.path("shared/clock"), os.O_WRONLY, 0)
	if err == nil {
		var offset [8]byte
		binary.NativeEndian.PutUint64(offset[:], uint64(by))
		_, err = f.WriteAt(offset[:], 0)
		err = errors.Join(err, f.Close())
	}
	return Fault{Name: "clock jump", err: err, proof: func() error {
		begin := time.Now().Truncate(time.Second)
		out, err := d.Exec("date +%s")
		if err != nil {
			return err
		}
		seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			return err
		}
		if at := time.Unix(seconds, 0).Add(-by); at.Before(begin) || at.After(time.Now()) {
			return fmt.Errorf("the clock is off by %s", time.Until(at)+by)
		}
		return nil
	}}
}

// DaemonDies makes switchd die some seconds after it loads the next time.
func (d *Device) DaemonDies(seconds int) Fault {
	return Fault{Name: "daemon dies", err: d.Turn("die-after", strconv.Itoa(seconds)), proof: d.noted("deaths")}
}

// DaemonRefuses makes switchd refuse every file that holds the text.
func (d *Device) DaemonRefuses(text string) Fault {
	return Fault{Name: "daemon refuses", err: d.Turn("refuse", text), proof: d.noted("refused")}
}

// noted reports whether switchd has done something since it booted.
func (d *Device) noted(what string) func() error {
	return func() error {
		_, err := d.ReadFile("/run/switchd/" + what)
		return err
	}
}

// StepHangs blocks commands whose line begins with prefix, before they start, until [Device.Release].
func (d *Device) StepHangs(prefix string) Fault {
	c := d.control
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hang, c.hung = prefix, 0
	return Fault{Name: "step hangs", proof: c.counted(&c.hung, fmt.Sprintf("no command began with %q", prefix))}
}

// SlowDevice delays every command by the given time; 0 ends the delay.
func (d *Device) SlowDevice(by time.Duration) Fault {
	c := d.control
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delay, c.delayed = by, 0
	return Fault{Name: "slow device", proof: c.counted(&c.delayed, "no command ran")}
}

// counted returns a fault that has fired if n is more than 0.
func (c *control) counted(n *int, complaint string) func() error {
	return func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if *n == 0 {
			return errors.New(complaint)
		}
		return nil
	}
}
