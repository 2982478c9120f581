package lab

import (
	"io/fs"
	"strconv"
	"strings"
)

// tree lays down sysfs and its kin. It is used with the file system's lock held.
type tree struct{ f *fileSystem }

func (t tree) dir(path string) *node { return t.f.plantDir(path, true) }

func (t tree) knob(path string, mode fs.FileMode, k knob) {
	n := t.f.knob(mode, k)
	n.pseudo = true
	t.dir(parentOf(path)).kids[baseOf(path)] = n
}

func (t tree) link(path, target string) {
	n := t.f.newNode(fs.ModeSymlink|0o777, 0, 0)
	n.target, n.pseudo = target, true
	t.dir(parentOf(path)).kids[baseOf(path)] = n
}

// text is a file of one line.
func (t tree) text(path string, get func() string, set func(string) error) {
	mode := fs.FileMode(0o444)
	if set != nil {
		mode = 0o644
	}
	t.knob(path, mode, knob{read: func() (string, error) { return get() + "\n", nil }, write: set})
}

// number is a file of one number; what is no number is EINVAL, as kstrtoint would have it.
func (t tree) number(path string, get func() int, set func(int) error) {
	var write func(string) error
	if set != nil {
		write = func(s string) error {
			n, err := strconv.ParseInt(strings.TrimSuffix(s, "\n"), 0, 32)
			if err != nil {
				return eInval
			}
			return set(int(n))
		}
	}
	t.text(path, func() string { return strconv.Itoa(get()) }, write)
}

// cma is the configfs of rdma_cm: making a directory named like an RDMA device shows its defaults; the values belong to
// the device and stay when the directory goes.
func (t tree) cma(d *Device) {
	dir := t.dir("/sys/kernel/config/rdma_cm")
	dir.dir = &dirKnob{
		mkdir: func(name string) (*node, error) {
			c := d.rdma(name)
			if c == nil {
				return nil, eNoDev
			}
			return t.cmaDevice(c), nil
		},
		rmdir: func(string) error { return nil },
	}
}

func (t tree) cmaDevice(c *nic) *node {
	mkdir := func() *node {
		n := t.f.newNode(fs.ModeDir|0o755, 0, 0)
		n.pseudo = true
		return n
	}
	dev, ports, port := mkdir(), mkdir(), mkdir()
	dev.kids["ports"], ports.kids["1"] = ports, port
	file := func(name string, k knob) {
		n := t.f.knob(0o644, k)
		n.pseudo = true
		port.kids[name] = n
	}
	file("default_roce_mode", knob{
		read: func() (string, error) { return c.mode + "\n", nil },
		write: func(s string) error {
			switch s = strings.TrimSuffix(s, "\n"); s {
			case "RoCE v2", "IB/RoCE v1":
				c.mode = s
				return nil
			}
			return eInval
		},
	})
	file("default_roce_tos", knob{
		read: func() (string, error) { return strconv.Itoa(c.tos) + "\n", nil },
		write: func(s string) error {
			n, err := strconv.ParseUint(strings.TrimSuffix(s, "\n"), 0, 8)
			if err != nil {
				return eInval
			}
			c.tos = int(n)
			return nil
		},
	})
	return dev
}
