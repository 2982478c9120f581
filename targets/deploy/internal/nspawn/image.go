//go:build linux

package nspawn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// cache contains userlands, images and the disks of running devices.
const cache = "/var/cache/rocec-test"

// Every device has a current userland. Limitations simulate features that programs of older systems lack.
const (
	suite    = "bookworm"
	mirror   = "http://deb.debian.org/debian"
	packages = "systemd,systemd-sysv,dbus,udev,openssh-server,sudo,iproute2,procps,python3-minimal,e2fsprogs,libmnl0"
)

// unread lists the folders of /usr/share that a userland leaves out.
var unread = []string{"doc", "man", "locale", "info"}

// userland lists the folders of /usr that devices share, read-only. All other files are on the device's own disk, such as /usr/libexec,
// where the gate is installed.
var userland = []string{"bin", "sbin", "lib", "lib64", "share"}

// programs is the folder of the programs that the shim wraps.
const programs = "/usr/lib/rocec-test"

// shimmed lists the programs by which a protocol changes state. They ask the test before and after they run.
var shimmed = []string{
	"bin/chmod", "bin/chown", "bin/cp", "bin/dd", "bin/flock", "bin/install", "bin/ln", "bin/mkdir", "bin/mv", "bin/python3",
	"bin/rm", "bin/rmdir", "bin/setsid", "bin/sync", "bin/systemctl", "bin/systemd-run", "bin/tee", "bin/touch", "sbin/dcb",
}

// diskSize is the size of a device's disk in bytes. It is small, so that a test can fill the disk.
const diskSize = 64 << 20

var (
	//go:embed all:image
	sources embed.FS
	//go:embed image.go
	self string
)

// made returns the folder of the image, which is made once for all tests of a package.
var made = sync.OnceValues(func() (string, error) {
	if err := able(); err != nil {
		return "", err
	}
	return makeImage()
})

// Image returns the folder with the parts of devices: usr, and the disk of a factory-new device of every kind. If the folder is missing,
// Image makes it, which takes half a minute. Tests of several packages may call Image at the same time. With -short, or if the machine
// cannot boot devices, Image ends the test, see [machinetest.Missing].
func Image(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("make check boots no devices; make test does")
	}
	dir, err := made()
	if err != nil {
		machinetest.Missing(t, "devices cannot be booted here: %v", err)
	}
	return dir
}

// able returns an error that names the missing requirement for booting devices.
func able() error {
	if os.Geteuid() != 0 {
		return errors.New("it takes root, for namespaces and mounts")
	}
	for _, tool := range []string{
		"systemd-nspawn", "mmdebstrap", "mkfs.ext4", "e2fsck", "gcc", "ip", "nsenter", "mount", "ssh-keygen", "useradd",
		"/usr/include/libmnl/libmnl.h",
	} {
		if _, err := machinetest.Find(tool); err != nil {
			return err
		}
	}
	if len(cgroups()) == 0 {
		return errors.New("no cgroup hierarchy for systemd is mounted below /sys/fs/cgroup (in a container: run it privileged)")
	}
	for _, dir := range cgroups() {
		probe := filepath.Join(dir, fmt.Sprintf("rocec-test.probe-%d", os.Getpid()))
		if err := os.Mkdir(probe, 0o755); err != nil {
			return fmt.Errorf("%w (in a container: run it privileged)", err)
		}
		if err := os.Remove(probe); err != nil {
			return err
		}
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		return fmt.Errorf("%w: there are no loop devices (in a container: run it privileged, with -v /dev:/dev)", err)
	}
	return nil
}

// command is a program of this machine.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if path, err := machinetest.Find(name); err == nil {
		name = path
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin", "LC_ALL=C")
	return cmd
}

// run runs a program of this machine; an error contains its output.
func run(name string, args ...string) error {
	cmd := command(context.Background(), name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, tail(out, 2000))
	}
	return nil
}

func tail(b []byte, n int) []byte { return bytes.TrimSpace(b[max(0, len(b)-n):]) }

// makeImage returns the folder of this recipe's image, and makes the image if it is missing.
func makeImage() (string, error) {
	if err := os.MkdirAll(filepath.Join(cache, "disks"), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(cache, "lock"), syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer unlock()

	base, err := kept("userland", digest(suite, mirror, packages, fmt.Sprint(unread)), func(dir string) error {
		args := []string{"--variant=minbase", "--include=" + packages, "--format=directory", "--quiet"}
		for _, dir := range unread {
			args = append(args, "--dpkgopt=path-exclude=/usr/share/"+dir+"/*")
		}
		return run("mmdebstrap", append(args, suite, dir, mirror)...)
	})
	if err != nil {
		return "", fmt.Errorf("the userland cannot be made from %s: %w", mirror, err)
	}
	recipe, err := recipe()
	if err != nil {
		return "", err
	}
	return kept("image", digest(base, recipe), func(dir string) error { return build(base, dir) })
}

// recipe returns everything that an image depends on, including this file.
func recipe() (string, error) {
	var b strings.Builder
	fmt.Fprintln(&b, self, hosttest.DCBShim, hosttest.Ethtool)
	for _, k := range kinds {
		fmt.Fprintln(&b, k.Name, k.User, k.trees, k.units, k.nics)
	}
	files, err := sourceFiles()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s %d\n%s", path, len(files[path]), files[path])
	}
	return b.String(), err
}

// sourceFiles returns the files below image/, by path.
func sourceFiles() (map[string]string, error) {
	all := make(map[string]string)
	return all, fs.WalkDir(sources, "image", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		all[path] = string(text)
		return err
	})
}

func digest(parts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, "\n"))))[:16]
}

// kept returns the folder NAME-KEY of the cache. If the folder is missing, do makes it. kept also removes folders that no test has used
// for two weeks. The caller holds the lock.
func kept(name, key string, do func(dir string) error) (string, error) {
	dir := filepath.Join(cache, name+"-"+key)
	now := time.Now()
	others, err := filepath.Glob(filepath.Join(cache, name+"-*"))
	if err != nil {
		return "", err
	}
	for _, other := range others {
		info, err := os.Stat(other)
		if err == nil && other != dir && (now.Sub(info.ModTime()) > 14*24*time.Hour || strings.HasSuffix(other, ".new")) {
			err = os.RemoveAll(other)
		}
		if err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, os.Chtimes(dir, now, now)
	}
	if err := do(dir + ".new"); err != nil {
		return "", err
	}
	return dir, os.Rename(dir+".new", dir)
}

// lock acquires a lock file. The lock ends with the process at the latest.
func lock(path string, how int) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}

// build makes an image: the userland with shims, and a disk for every kind.
func build(base, dir string) error {
	usr := filepath.Join(dir, "usr")
	if err := os.MkdirAll(usr, 0o755); err != nil {
		return err
	}
	for _, sub := range userland {
		if err := run("cp", "-al", filepath.Join(base, "usr", sub), usr); err != nil {
			return err
		}
	}
	lib := filepath.Join(dir, programs)
	if err := os.Mkdir(lib, 0o755); err != nil {
		return err
	}
	if err := compile(dir, lib); err != nil {
		return err
	}
	for _, path := range shimmed {
		if err := stepIn(usr, lib, path); err != nil {
			return err
		}
	}
	for link, to := range map[string]string{
		filepath.Join(usr, "bin/python"):                      "python3", // the shim finds the program by its own name
		filepath.Join(lib, "python"):                          "python3",
		filepath.Join(lib, "sh"):                              "/bin/sh", // for replacements of programs
		filepath.Join(dir, strings.TrimSuffix(python27, "/")): "../cumulus/python2.7",
	} {
		if err := os.Symlink(to, link); err != nil {
			return err
		}
	}
	if err := dcb(lib); err != nil {
		return err
	}
	for _, k := range kinds {
		if err := factory(base, dir, k); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	return nil
}

// stepIn moves a program from usr to lib and puts the shim in its place. A symbolic link keeps its destination.
func stepIn(usr, lib, path string) error {
	from, to := filepath.Join(usr, path), filepath.Join(lib, filepath.Base(path))
	if link, err := os.Readlink(from); err == nil {
		err = errors.Join(os.Symlink(filepath.Join("/usr", filepath.Dir(path), link), to), os.Remove(from))
		if err != nil {
			return err
		}
	} else if err := os.Rename(from, to); err != nil {
		return err
	}
	return os.Link(filepath.Join(lib, "shim"), from)
}

// compile builds the C programs into lib.
func compile(dir, lib string) error {
	for _, p := range []struct {
		name  string
		flags []string
	}{{"shim", []string{"-static", "-o", "shim"}}, {"clock", []string{"-shared", "-fPIC", "-o", "clock.so"}}} {
		text, err := sources.ReadFile("image/" + p.name + ".c")
		if err != nil {
			return err
		}
		source := filepath.Join(dir, p.name+".c")
		if err := os.WriteFile(source, text, 0o644); err != nil {
			return err
		}
		p.flags[len(p.flags)-1] = filepath.Join(lib, p.flags[len(p.flags)-1])
		if err := run("gcc", append(p.flags, "-O2", "-Wall", "-Wextra", "-Werror", source)...); err != nil {
			return err
		}
	}
	return hosttest.Build(filepath.Join(lib, "dcbshim.so"), hosttest.DCBShim)
}

// dcb makes the real dcb talk to simulated NICs.
func dcb(lib string) error {
	real := filepath.Join(lib, "dcb")
	if err := os.Rename(real, real+".real"); err != nil {
		return err
	}
	return place(real, fmt.Sprintf("#!/bin/sh\nDCBSHIM_DIR=/run/nics LD_PRELOAD=%s/dcbshim.so exec %[1]s/dcb.real \"$@\"\n", programs))
}

// idle lists the units that a device does not need.
var idle = []string{
	"getty.target", "remote-fs.target", "kmod-static-nodes.service", "procps.service", "systemd-journal-flush.service",
	"systemd-logind.service", "systemd-modules-load.service", "systemd-network-generator.service", "systemd-pstore.service",
	"systemd-random-seed.service", "systemd-remount-fs.service", "systemd-sysctl.service", "systemd-sysusers.service",
	"systemd-tmpfiles-setup-dev.service", "systemd-udev-trigger.service", "systemd-update-utmp.service",
	"systemd-update-utmp-runlevel.service", "e2scrub_reap.service",
}

// factory makes the disk of a kind.
func factory(base, dir string, k *Kind) error {
	root := filepath.Join(dir, k.Name)
	for _, sub := range []string{"proc", "sys", "dev", "run", "tmp", "boot", "mnt", "usr/local", "opt", "srv"} {
		if err := os.MkdirAll(filepath.Join(root, sub), 0o755); err != nil {
			return err
		}
	}
	for _, sub := range userland {
		if err := os.MkdirAll(filepath.Join(root, "usr", sub), 0o755); err != nil {
			return err
		}
	}
	for _, sub := range []string{"etc", "var", "root", "home", "usr/local", "usr/libexec", "bin", "sbin", "lib", "lib64"} {
		if err := run("cp", "-a", filepath.Join(base, sub), filepath.Join(root, filepath.Dir(sub))); err != nil {
			return err
		}
	}
	system := filepath.Join(root, "etc/systemd/system")
	for _, path := range []string{
		"var/cache", "var/lib/apt", "var/lib/dpkg", "etc/systemd/system/timers.target.wants", "etc/os-release",
		"etc/ssh/ssh_host_rsa_key", "etc/ssh/ssh_host_ecdsa_key", "etc/ssh/ssh_host_rsa_key.pub", "etc/ssh/ssh_host_ecdsa_key.pub",
	} {
		if err := os.RemoveAll(filepath.Join(root, path)); err != nil {
			return err
		}
	}
	files, err := sourceFiles()
	if err != nil {
		return err
	}
	for _, tree := range k.trees {
		for path, text := range files {
			rest, ok := strings.CutPrefix(path, "image/"+tree+"/")
			if !ok {
				continue
			}
			if err := place(filepath.Join(root, rest), text); err != nil {
				return err
			}
		}
	}
	if k.nics {
		ethtool := strings.Replace(hosttest.Ethtool, "\n", "\nFAKE_DIR=/run/nics\n", 1)
		if err := place(filepath.Join(root, "usr/local/sbin/ethtool"), ethtool); err != nil {
			return err
		}
	}
	const keep = "[Unit]\nDefaultDependencies=no\n" // a shutdown must not unmount the file system that it runs from
	for path, text := range map[string]string{
		"etc/systemd/system/usr-.mount.d/keep.conf": keep,
		"etc/systemd/system/run-.mount.d/keep.conf": keep,
		"etc/ld.so.preload":                         programs + "/clock.so\n",
		"etc/machine-id":                            strings.Repeat("0123456789abcdef", 2) + "\n",
		"etc/sudoers.d/rocec":                       k.User + " ALL=(ALL) NOPASSWD: ALL\n",
	} {
		if err := place(filepath.Join(root, path), text); err != nil {
			return err
		}
	}
	links := map[string]string{"default.target": "/lib/systemd/system/multi-user.target"}
	for _, u := range idle {
		links[u] = "/dev/null"
	}
	for _, u := range k.units {
		links["multi-user.target.wants/"+u] = "/etc/systemd/system/" + u
	}
	for link, to := range links {
		if err := os.Symlink(to, filepath.Join(system, link)); err != nil {
			return err
		}
	}
	if err := os.Symlink("run/cumulus", filepath.Join(root, "cumulus")); err != nil {
		return err
	}
	if err := run("useradd", "--root", root, "--create-home", "--shell", "/bin/bash", k.User); err != nil {
		return err
	}
	disk := filepath.Join(dir, k.Name+".ext4")
	if err := errors.Join(os.WriteFile(disk, nil, 0o644), os.Truncate(disk, diskSize)); err != nil {
		return err
	}
	if err := run("mkfs.ext4", "-q", "-F", "-b", "4096", "-N", "8192", "-m", "0", "-d", root, disk); err != nil {
		return err
	}
	return os.RemoveAll(root)
}

// place writes a file of an image.
func place(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	return os.WriteFile(path, []byte(text), mode)
}

// copyDisk copies a disk. Blocks that were never written stay holes.
func copyDisk(from, to string) error { return run("cp", "--sparse=always", "--reflink=auto", from, to) }
