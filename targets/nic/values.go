package nic

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// vfKey is the only key that comes in any number: one for each virtual function the fabric names, "on" or "off".
const vfKey = "vf_roce_"

// unsupported is what show prints for a setting the NIC or its driver does not have.
const unsupported = "unsupported"

// appendFile appends the value file.
func (s *Settings) appendFile(b []byte) []byte {
	b = append(b, s.family.heading...)
	comment := ""
	vfs := s.vfs()
	for i := range s.family.Rows {
		r := &s.family.Rows[i]
		if vfs != nil && r.Key > vfKey { // the rows are sorted
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
			continue
		}
		b = append(b, '\n')
		comment = ""
	}
	return s.appendVFs(b, vfs, true)
}

// appendState appends what nic/IF should be: the same lines, without those the host's network configuration decides.
func (s *Settings) appendState(b []byte) []byte {
	vfs := s.vfs()
	for i := range s.family.Rows {
		r := &s.family.Rows[i]
		if vfs != nil && r.Key > vfKey {
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
		b = append(strconv.AppendInt(append(b, vfKey...), int64(vf), 10), '=')
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

// Room for a value file and for a state; most take less.
const (
	fileSize  = 2048
	stateSize = 1024
)

// confFile is /etc/rocec/host/IF.conf. It is wholly ours.
func (s *Settings) confFile(activate target.Step) target.File {
	return target.File{
		Path:     confPath(s.NIC.Name),
		Mode:     0o644,
		Edit:     func([]byte) ([]byte, diag.List) { return s.appendFile(make([]byte, 0, fileSize)), nil },
		Keys:     func(content []byte) []target.Key { return keys(content, func([]byte) bool { return true }) },
		Why:      s.why,
		Activate: activate,
	}
}

// stateFile is nic/IF, the NIC as it is.
func (s *Settings) stateFile(activate target.Step) target.File {
	return target.File{
		Path: stateName(s.NIC.Name),
		Edit: s.editState,
		Keys: func(content []byte) []target.Key {
			ours := s.appendState(nil)
			return keys(content, func(key []byte) bool { return find(ours, key) != nil })
		},
		Why:      s.why,
		Live:     s.Query("show"),
		Activate: activate,
	}
}

// Query runs a verb of the script from stdin, so that it works before the script is there. What tells the script
// where to look comes as arguments, because the value file may not be there either, or may be an old one.
func (s *Settings) Query(verb string) *target.Query {
	var cmd strings.Builder
	cmd.WriteString("sh -s -- " + verb + " " + Quote(s.NIC.Name))
	if s.NIC.Bond != nil && len(s.Intents) > 0 {
		cmd.WriteString(" bond=" + Quote(s.NIC.Bond.Name))
	}
	if s.VLAN > 0 {
		cmd.WriteString(" vlan=" + strconv.Itoa(s.VLAN))
	}
	for _, vf := range s.vfs() {
		cmd.WriteString(" " + vfKey + strconv.Itoa(vf) + "=on")
	}
	return &target.Query{Cmd: cmd.String(), Stdin: s.family.Script}
}

// confPath is the value file of a NIC.
func confPath(netdev string) string { return confDir + netdev + ".conf" }

// stateName is the name of the live state of a NIC.
func stateName(netdev string) string { return "nic/" + netdev }

// editState puts our values into what show printed. Lines that are not ours stay, and so does what the NIC does not
// support: a knob that is not there is no drift.
func (s *Settings) editState(old []byte) ([]byte, diag.List) {
	want := s.appendState(make([]byte, 0, stateSize))
	if len(old) == 0 {
		return want, nil
	}
	out := make([]byte, 0, len(old)+len(want))
	var seen [][]byte
	for line := range bytes.Lines(old) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		key, value, ok := bytes.Cut(line, []byte("="))
		mine := find(want, key)
		if ok && mine != nil {
			seen = append(seen, key)
			if string(value) != unsupported {
				line = mine
			}
		}
		out = append(append(out, line...), '\n')
	}
	for line := range bytes.Lines(want) {
		key, _, _ := bytes.Cut(line, []byte("="))
		if !slices.ContainsFunc(seen, func(k []byte) bool { return bytes.Equal(k, key) }) {
			out = append(out, line...)
		}
	}
	return out, nil
}

// find returns the line "KEY=VALUE" of a key, without its newline; nil: there is none.
func find(content, key []byte) []byte {
	for line := range bytes.Lines(content) {
		if len(line) > len(key) && line[len(key)] == '=' && bytes.HasPrefix(line, key) {
			return bytes.TrimSuffix(line, []byte("\n"))
		}
	}
	return nil
}

// keys lists the settings of a value file or a state, in order.
func keys(content []byte, ours func(key []byte) bool) []target.Key {
	var out []target.Key
	for line := range bytes.Lines(content) {
		key, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte("="))
		if !ok || len(key) == 0 || key[0] == '#' {
			continue
		}
		out = append(out, target.Key{Name: string(key), Value: string(value), Ours: ours(key)})
	}
	return out
}

// why tells where the value of a key came from.
func (s *Settings) why(key string) []ir.Origin {
	if vf, ok := strings.CutPrefix(key, vfKey); ok {
		if n, err := strconv.Atoi(vf); err != nil || !slices.Contains(s.vfs(), n) {
			return nil
		}
		return AtNIC(s)
	}
	rows := s.family.Rows
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Key == key })
	if i < 0 || len(rows[i].Value(nil, s)) == 0 {
		return nil
	}
	return rows[i].Why(s)
}
