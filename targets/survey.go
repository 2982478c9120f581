package targets

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Surveyed is a device that is described only by its files, not by a fabric.
type Surveyed struct {
	Name       string                 // the name in its configuration, else the name of its folder or files
	OS         *ir.OS                 // the operating system of a switch; nil: the device is a host
	Release    string                 // the release of the files; empty: unknown
	Guessed    bool                   // the files state a range of releases, or none; Release is a possible one
	Read       *target.Understood     // without places
	BGP        *target.BGP            // BGP, from FRR's configuration, else from the configuration of the device; nil: none states it
	Neighbours map[string][]Neighbour // by port: from LLDP, else from the configuration
	Files      []string               // names of the files that were read
	Top        diag.Range             // the beginning of the first file with settings
	Speeds     map[string]int         // Mb/s by interface, from the kernel; nil: no file states them

	Routes     [2]*forwarding.Routes // routes of IPv4 and IPv6; nil: no file has a complete table
	Unrouted   string                // the first file of routes or interfaces that is not understood, and why; empty: all are understood
	Interfaces forwarding.Interfaces // nil: no file has them

	Twin     string // the name in its files, and in the files of another device, too; empty: no such name
	hostname string // the name from a file that contains only the name; empty: there is no such file
}

// Neighbour is the device at the other end of a cable, as LLDP or a configuration names it.
type Neighbour struct {
	Device          string
	Ports           []string // names of its port, most likely first
	Function, Model string   // its function and its hardware; empty: not stated
	Address         string   // management address from LLDP; empty: LLDP states none
}

// Survey contains the devices of a set of files, and the files that belong to no device.
type Survey struct {
	Devices []Surveyed
	Not     []NotRead
	Checked *Checked // results of the linters
}

// NotRead is a file that was not read, with the reason as part of a sentence.
type NotRead struct{ File, Why string }

// SurveyFiles reads the files of devices that no fabric describes. Files of one device are grouped by folder or name, as in [JudgeFiles].
// Running settings take precedence over stored ones. If the configurations of two folders state the same name, they are two devices, each
// named by its folder.
func SurveyFiles(files []lint.File) *Survey {
	j := newJudging(nil, files, devicesOf(files))
	s := &Survey{Checked: j.checked}
	var of []*device // devices of the survey
	for k := range j.devices {
		d := &j.devices[k]
		one := Surveyed{Name: path.Base(d.name), Top: topOf(j, d), Neighbours: map[string][]Neighbour{}}
		row := (*target.Target)(nil)
		if one.Read, row = readAlone(j, d); row != nil && one.Read != nil {
			one.OS = row.OS
			one.Release, one.Guessed = releaseOf(row, cmp.Or(stated(j, d), one.Read.Settings.System.Release.Value))
		}
		for _, i := range d.files {
			one.hostname = cmp.Or(one.hostname, j.read[i].named)
			if j.read[i].speeds != nil {
				one.Speeds = j.read[i].speeds
			}
			for port, all := range j.read[i].neighbours {
				for _, n := range all {
					one.Neighbours[port] = append(one.Neighbours[port], Neighbour{Device: n.Device, Ports: n.Ports, Address: n.Address})
				}
			}
			if j.read[i].routes {
				one.BGP = cmp.Or(one.BGP, frrOf(files[i].Data))
			}
			if answer := j.read[i].forwarding; answer != nil {
				one.forward(answer)
			}
			if why := j.read[i].unrouted; why != "" {
				one.Unrouted = cmp.Or(one.Unrouted, path.Base(files[i].Name)+": "+why)
			}
			if j.read[i].own != nil || j.read[i].neighbours != nil || j.read[i].routes || j.read[i].named != "" ||
				j.read[i].speeds != nil || j.read[i].counters || j.read[i].forwarding != nil || j.read[i].forwards != nil {
				one.Files = append(one.Files, files[i].Name)
				continue
			}
			if why := j.taken[i].Why; why != "" {
				s.Not = append(s.Not, NotRead{files[i].Name, why})
			}
		}
		if one.Read != nil {
			one.BGP = cmp.Or(one.BGP, one.Read.BGP)
			for port, n := range one.Read.Neighbours {
				if one.Neighbours[port] == nil {
					one.Neighbours[port] = []Neighbour{{n.Device, []string{n.Port}, n.Function, n.Model, ""}}
				}
			}
		}
		if one.Read != nil { // places need many times the memory of settings, and a survey has no findings
			one.Read.Where = nil
		}
		if one.Read != nil || len(one.Neighbours) > 0 || one.Interfaces != nil {
			s.Devices, of = append(s.Devices, one), append(of, d)
		}
		for _, i := range d.files {
			j.read[i].own, j.read[i].not = nil, nil
		}
	}
	s.name()
	s.nameInterfaces(j, of)
	return s
}

// nameInterfaces reads files of hosts without interface names again, with the port names that the host's neighbours state.
func (s *Survey) nameInterfaces(j *judging, of []*device) {
	ports := map[string][]string{}
	for i := range s.Devices {
		for _, all := range s.Devices[i].Neighbours {
			for _, n := range all {
				if at := topology.FoldDevice(n.Device); len(n.Ports) > 0 && !slices.Contains(ports[at], n.Ports[0]) {
					ports[at] = append(ports[at], n.Ports[0])
				}
			}
		}
	}
	for i, d := range of {
		one := &s.Devices[i]
		named := ports[topology.FoldDevice(one.Name)]
		if one.OS != nil || one.Read == nil || len(one.Read.Settings.Ports) > 0 || len(named) == 0 {
			continue
		}
		hosts := map[string][]byte{}
		for _, k := range d.files {
			if j.read[k].host {
				hosts[j.files[k].Name] = j.files[k].Data
			}
		}
		slices.Sort(named)
		j.id = target.Identity{Ports: named}
		one.Read = wholeHost(j, d, hosts)
	}
}

// forward adds the answer in a file to those of a device. Routes of FRRouting take precedence over routes of the kernel.
func (d *Surveyed) forward(answer *forwarding.Answer) {
	for family, routes := range answer.Routes {
		if have := d.Routes[family]; routes != nil && (have == nil || routes.FRR && !have.FRR) {
			d.Routes[family] = routes
		}
	}
	if d.Interfaces == nil {
		d.Interfaces = answer.Interfaces
	}
}

// name gives devices the names that their files state, if no other device has the same name. Default names of a system do not count.
func (s *Survey) name() {
	const usual = 1 << 20 // limits the number of devices
	told := map[string]int{"localhost": usual}
	for _, row := range All {
		if row.OS != nil {
			told[row.OS.Name], told[row.OS.User] = usual, usual // sonic, cumulus and other default names
		}
	}
	for i := range s.Devices {
		told[s.Devices[i].stated()]++
	}
	for i := range s.Devices {
		switch name := s.Devices[i].stated(); {
		case name == "" || told[name] > usual:
		case told[name] == 1:
			s.Devices[i].Name = name
		default:
			s.Devices[i].Twin = name
		}
	}
	s.nameAddresses()
}

// nameAddresses renames a device whose folder is named by an address: it gets the name that LLDP of other devices states with that
// management address. An address with several names is ignored.
func (s *Survey) nameAddresses() {
	called, taken := map[string]string{}, map[string]bool{}
	for i := range s.Devices {
		taken[s.Devices[i].Name] = true
		for _, all := range s.Devices[i].Neighbours {
			for _, n := range all {
				switch have, known := called[n.Address]; {
				case n.Address == "" || n.Device == "":
				case !known:
					called[n.Address] = n.Device
				case have != n.Device:
					called[n.Address] = ""
				}
			}
		}
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		if name := called[d.Name]; name != "" && d.stated() == "" && !taken[name] {
			d.Name, taken[name] = name, true
		}
	}
}

// stated returns the name that the files of a device state: the one in its configuration, else its hostname. Empty: no file states a name.
// The prompt in the output of a host's tools does not count, because it may belong to another host on which a person worked.
func (d *Surveyed) stated() string {
	if d.OS != nil && d.Read != nil && d.Read.Host != "" {
		return d.Read.Host
	}
	return d.hostname
}

// readAlone reads the files of one device together: running settings, else stored settings, else files without a moment, else output of a
// host's tools. The row is nil for a host.
func readAlone(j *judging, d *device) (*target.Understood, *target.Target) {
	stored, running := j.device(d)
	read := cmp.Or(running, stored, timeless(j, d))
	hosts := map[string][]byte{}
	var row *target.Target
	for _, i := range d.files {
		switch r := &j.read[i]; {
		case r.host:
			hosts[j.files[i].Name] = j.files[i].Data
		case r.row != nil && r.own != nil && row == nil:
			row = r.row
		}
	}
	if read == nil && len(hosts) > 0 {
		return wholeHost(j, d, hosts), nil
	}
	return read, row
}

// releaseOf returns a release for which a row writes: the stated release, else the newest of a stated range ("3.5 to 3.7", "5.x"). Without
// both it is the release of drafts for some model. Empty: the row writes for no such release.
func releaseOf(row *target.Target, stated string) (version string, guessed bool) {
	writes := func(version string) bool {
		if version == "" || row.OS.Release(version) != "" || row.OS.Runs != nil && !row.OS.Runs(nil, version) {
			return false
		}
		sw := &ir.Switch{OS: row.OS.Name, Version: version}
		if row.OS.Default != nil {
			sw.Config = row.OS.Default(version)
		}
		return row.Serves == nil || row.Serves(&ir.Device{Switch: sw})
	}
	if writes(stated) {
		return stated, false
	}
	words := strings.Fields(stated)
	if len(words) > 0 {
		last := words[len(words)-1]
		ends := []string{last}
		if major, open := strings.CutSuffix(last, ".x"); open {
			ends = nil
			for minor := mostMinor; minor >= 0; minor-- {
				ends = append(ends, fmt.Sprintf("%s.%d", major, minor))
			}
		}
		for _, end := range ends {
			for _, patch := range []string{"", ".0", ".1"} {
				if writes(end + patch) {
					return end + patch, true
				}
			}
		}
	}
	usual := []string{row.OS.Newest}
	if row.OS.Usual != nil {
		for _, m := range platform.Switches {
			usual = append(usual, row.OS.Usual(m))
		}
	}
	if i := slices.IndexFunc(usual, writes); i >= 0 {
		return usual[i], true
	}
	return "", true
}

// mostMinor is the largest second number of a release that is tried for an open range.
const mostMinor = 40
