package collect

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// seen is a device that neighbours name.
type seen struct {
	address string // empty: no neighbour states one
	system  string
	by      []string // the ports whose LLDP names it
	differs bool     // neighbours state different addresses
}

// mostBy is the maximum number of ports that a line of the inventory names.
const mostBy = 3

// Inventory returns the devices of the collection, and those that their neighbours name, as an inventory of Ansible. A person reads it
// and passes it to collect again: rocec dials no address that only a neighbour has named.
func (c *Collection) Inventory() string {
	var out strings.Builder
	out.WriteString("# Devices that were asked or whose files were read, and those that LLDP names. Those with \"named by\" were not " +
		"asked.\n" +
		"# Take out what must not be asked, and give the file back: rocec collect THIS.yaml -o SNAPSHOT.tar.gz\n" +
		"all:\n  hosts:\n")
	have := map[string]bool{}
	var left []string
	line := func(name string, at target.Login, says string) {
		switch {
		case destination.CheckHost(name) != "" || strings.Contains(name, ":"):
			left = append(left, fmt.Sprintf("%s is left out: it is no name of a host (%s)", strconv.QuoteToASCII(diag.Cut(name)), says))
			return
		default:
			fmt.Fprintf(&out, "    %s: {%s}", strconv.Quote(name), strings.Join(wayTo(at), ", "))
		}
		if says != "" {
			out.WriteString(" # " + says)
		}
		out.WriteByte('\n')
	}
	c.Manifest.Sort()
	for _, d := range c.Manifest.Devices {
		have[short(d.Name)], have[short(d.Host)] = true, true
		at := c.logins[d.Name]
		at.Address = cmp.Or(at.Address, d.Address)
		line(d.Name, at, "")
	}
	news := c.neighbours()
	for _, name := range slices.SortedFunc(maps.Keys(news), nodeset.Compare) {
		n := news[name]
		if have[short(name)] {
			continue
		}
		says := "named by " + strings.Join(n.by[:min(len(n.by), mostBy)], ", ")
		if more := len(n.by) - mostBy; more > 0 {
			says += fmt.Sprintf(" and %d more", more)
		}
		if n.system != "" {
			says += ": " + diag.Cut(diag.Escape(strings.Join(strings.Fields(n.system), " ")))
		}
		if n.differs {
			says += "; neighbours state different addresses, so the address is left out"
			n.address = ""
		}
		line(name, target.Login{Address: n.address}, says)
	}
	for _, l := range left {
		out.WriteString("# " + l + "\n")
	}
	return out.String()
}

// wayTo returns the inventory variables for the login to a device.
func wayTo(at target.Login) (vars []string) {
	if at.Address != "" {
		vars = append(vars, fmt.Sprintf("ansible_host: %q", at.Address))
	}
	if at.Port != 0 {
		vars = append(vars, fmt.Sprintf("ansible_port: %d", at.Port))
	}
	if at.User != "" {
		vars = append(vars, fmt.Sprintf("ansible_user: %q", at.User))
	}
	return vars
}

// short returns a name without its domain, in lower case.
func short(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	return name
}

// neighbours returns the devices that answers of LLDP name.
func (c *Collection) neighbours() map[string]*seen {
	out := map[string]*seen{}
	for _, d := range c.Manifest.Devices {
		for _, a := range d.Answers {
			if !targets.IsLLDP(path.Base(a.File)) {
				continue
			}
			of, _ := target.Neighbours(c.files[a.File])
			for _, port := range slices.SortedFunc(maps.Keys(of), nodeset.Compare) {
				for _, n := range of[port] {
					if n.Device == "" {
						continue
					}
					s := out[n.Device]
					if s == nil {
						s = &seen{}
						out[n.Device] = s
					}
					s.differs = s.differs || s.address != "" && n.Address != "" && s.address != n.Address
					s.address, s.system = cmp.Or(s.address, n.Address), cmp.Or(s.system, n.System)
					s.by = append(s.by, diag.Escape(d.Name+":"+port))
				}
			}
		}
	}
	return out
}
