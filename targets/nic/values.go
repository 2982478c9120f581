package nic

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// appendFile appends the value file.
func (s *Settings) appendFile(b []byte) []byte {
	b = append(append(b, "# RoCE settings of one NIC, written by rocec and applied by "...), s.family.scriptPath...)
	b = append(b, ".\n# Change the fabric, not this file.\n"...)
	comment := ""
	vfs := s.vfs()
	for i := range s.family.Rows() {
		r := &s.family.Rows()[i]
		if vfs != nil && r.Key > steps.VFKey { // the rows are sorted
			b, vfs = s.appendVFs(b, vfs, true), nil
		}
		start := len(b)
		if r.Comment != "" {
			comment = r.Comment
		}
		if comment != "" {
			b = append(append(append(b, "# "...), comment...), '\n')
		}
		b = append(append(b, r.Key...), '=')
		value := len(b)
		if b = r.Value(b, s); len(b) == value {
			b = b[:start]
			if r.Lone {
				comment = ""
			}
			continue
		}
		b = append(b, '\n')
		comment = ""
	}
	return s.appendVFs(b, vfs, true)
}

// appendState appends the wanted content of nic/IF: the lines of the value file, without those that the host's network configuration
// decides.
func (s *Settings) appendState(b []byte) []byte {
	vfs := s.vfs()
	for i := range s.family.Rows() {
		r := &s.family.Rows()[i]
		if vfs != nil && r.Key > steps.VFKey {
			b, vfs = s.appendVFs(b, vfs, false), nil
		}
		if r.Host {
			continue
		}
		start := len(b)
		b = append(append(b, r.Key...), '=')
		value := len(b)
		if b = r.Value(b, s); len(b) == value {
			b = b[:start]
			continue
		}
		b = append(b, '\n')
	}
	return s.appendVFs(b, vfs, false)
}

// appendVFs appends the lines of virtual functions.
func (s *Settings) appendVFs(b []byte, vfs []int, comment bool) []byte {
	if comment && len(vfs) > 0 {
		b = append(b, "# RoCE of virtual functions\n"...)
	}
	for _, vf := range vfs {
		b = append(strconv.AppendInt(append(b, steps.VFKey...), int64(vf), 10), '=')
		if s.NIC.VFRoCE[vf] {
			b = append(b, "on\n"...)
		} else {
			b = append(b, "off\n"...)
		}
	}
	return b
}

func (s *Settings) vfs() []int {
	if len(s.NIC.VFRoCE) == 0 {
		return nil
	}
	vfs := make([]int, 0, len(s.NIC.VFRoCE))
	for vf := range s.NIC.VFRoCE {
		vfs = append(vfs, vf)
	}
	slices.Sort(vfs)
	return vfs
}

// The initial capacity for a value file and for a state; most need less.
const (
	fileSize  = 2048
	stateSize = 1024
)

// confFile returns the file /etc/rocec/host/IF.conf, which rocec writes as a whole.
func (s *Settings) confFile(activate target.Step) target.File {
	return target.File{
		Path:     steps.ConfPath(s.NIC.Name),
		Mode:     0o644,
		Edit:     func([]byte) ([]byte, diag.List) { return s.appendFile(make([]byte, 0, fileSize)), nil },
		Keys:     func(content []byte) []target.Key { return Keys(content, func(string) bool { return true }) },
		Why:      s.Why,
		Activate: activate,
	}
}

// stateFile returns nic/IF, the live state of the NIC.
func (s *Settings) stateFile(activate target.Step) target.File {
	return target.File{
		Path: steps.StateName(s.NIC.Name),
		Edit: s.editState,
		Keys: func(content []byte) []target.Key {
			ours := s.appendState(nil)
			return Keys(content, func(key string) bool { return find(ours, key) != nil })
		},
		Why:      s.Why,
		Live:     s.Query(),
		Activate: activate,
	}
}

// Query returns the query that reads the settings of the NIC.
func (s *Settings) Query() *target.Query {
	var at []string
	if s.NIC.Bond != nil && len(s.Intents) > 0 {
		at = append(at, "bond="+s.NIC.Bond.Name)
	}
	if s.VLAN > 0 {
		at = append(at, "vlan="+strconv.Itoa(s.VLAN))
	}
	if s.VLAN > 0 && s.NIC.CreateVLAN && s.NIC.VLANIP.IsValid() {
		at = append(at, "vlan_ip="+s.NIC.VLANIP.String())
	}
	if p := s.NIC.Parameters; p != nil {
		for i := range p.DCQCN {
			at = append(at, steps.DCQCNKey+p.DCQCN[i].Name+"="+strconv.Itoa(p.DCQCN[i].Value))
		}
		if p.Stall != nil {
			at = append(at, steps.StallKey+"="+p.Stall.Text(p.Stall.Value))
		}
	}
	for _, vf := range s.vfs() {
		at = append(at, steps.VFKey+strconv.Itoa(vf)+"=on")
	}
	return s.family.Show(steps.NIC{Name: s.NIC.Name, At: at})
}

// keep reports whether a plan does not change some settings of a NIC, which are all known.
func keep(netdev string, settings []string, live target.Live) bool {
	before, after, changes := live(steps.StateName(netdev))
	return !changes || !slices.ContainsFunc(settings, func(key string) bool {
		is := find(before, key)
		return is == nil || !bytes.Equal(is, find(after, key))
	})
}

// editState puts the wanted values into the output of show. Lines of other keys stay, and so do optional settings that the host cannot
// set. A required or requested setting that the host cannot set is an error.
func (s *Settings) editState(old []byte) ([]byte, diag.List) {
	want := s.appendState(make([]byte, 0, stateSize))
	if len(old) == 0 {
		return want, nil
	}
	var ds diag.List
	host := s.hostLines()
	out := make([]byte, 0, len(old)+len(want))
	var seen []string
	Lines(old, func(line []byte, key, value string, ok bool) {
		switch mine, theirs := find(want, key), find(host, key); {
		case ok && mine != nil:
			seen = append(seen, key)
			if !s.judgeLine(&ds, key, value, mine) {
				line = mine
			}
		case ok && theirs != nil:
			s.judgeLine(&ds, key, value, theirs)
		}
		out = append(append(out, line...), '\n')
	})
	Lines(want, func(line []byte, key, _ string, _ bool) {
		if !slices.Contains(seen, key) {
			out = append(append(out, line...), '\n')
		}
	})
	if s.family.Markings != nil {
		if text := unreachedText(s.NIC, &s.Card, s.family.Markings()); text != "" {
			senderTopic.Noticef(&ds, s.NIC.At, "%s", text)
		}
	}
	return out, ds
}

// find returns the line "KEY=VALUE" of a key, without its newline, or nil.
func find(content []byte, key string) []byte {
	for line := range bytes.Lines(content) {
		if len(line) > len(key) && line[len(key)] == '=' && string(line[:len(key)]) == key {
			return bytes.TrimSuffix(line, []byte("\n"))
		}
	}
	return nil
}

// Keys lists the settings of a value file or a state, in order.
func Keys(content []byte, ours func(key string) bool) []target.Key {
	var out []target.Key
	Lines(content, func(_ []byte, key, value string, ok bool) {
		if key = strings.TrimSpace(key); ok && key != "" && key[0] != '#' {
			out = append(out, target.Key{Name: key, Value: strings.TrimSpace(value), Ours: ours(key)})
		}
	})
	return out
}

// Why returns the origins of a key's value.
func (s *Settings) Why(key string) []ir.Origin {
	if vf, ok := strings.CutPrefix(key, steps.VFKey); ok {
		if n, err := strconv.Atoi(vf); err != nil || !slices.Contains(s.vfs(), n) {
			return nil
		}
		return AtNIC(s)
	}
	r := s.row(key)
	if r == nil || len(r.Value(nil, s)) == 0 {
		return nil
	}
	return r.Why(s)
}
