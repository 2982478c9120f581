package start

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Classes are the classes of devices whose settings were read.
type Classes struct {
	MTU      int    // of switch ports, in bytes; 0: unknown
	Blocks   string // the cos_group blocks
	Carrying []Class
	Pauses   func(device, port string) (is, known bool) // whether a port has link pause
}

// Class is a class that carries RoCE.
type Class struct {
	Name   string
	Intent func(name string, members []string) string // the roce block
	Has    func(device, port string) bool             // whether a port of a switch has the class, according to the files
}

// paused reports whether a cable has link pause: at least one end has it, and no end is known not to have it.
func (c *Classes) paused(deviceA, portA, deviceB, portB string) bool {
	if c == nil {
		return false
	}
	a, knownA := c.Pauses(deviceA, portA)
	b, knownB := c.Pauses(deviceB, portB)
	return (a || b) && (a || !knownA) && (b || !knownB)
}

// write writes fabric.hcl with the classes. head is the beginning, and lead is before the roce blocks. intents returns the members of
// roce blocks, at the switch ports for which keep returns true.
func (c *Classes) write(head []byte, lead string, intents func(keep func(device, port string) bool) [][]string) []byte {
	before, _, _ := bytes.Cut(head, []byte("# RDMA traffic"))
	if c.MTU > 0 {
		before = regexp.MustCompile(`(?m)^( *mtu *= )9216`).ReplaceAll(before, fmt.Appendf(nil, "${1}%d", c.MTU))
	}
	b := slices.Concat(before, []byte(c.Blocks+lead))
	for _, class := range c.Carrying {
		all := intents(class.Has)
		if len(all) == 0 {
			b = fmt.Appendf(b, "# CHECK: no two hosts are cabled to ports that have %s: name its members in a roce block\n", class.Name)
		}
		for n, members := range all {
			name := class.Name
			if len(all) > 1 {
				name += "-" + strconv.Itoa(n+1)
			}
			b = append(b, class.Intent(name, members)+"\n"...)
		}
	}
	return b
}
