package mlx5

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

// heading stands at the top of every value file.
const heading = "# RoCE settings of one NIC, written by rocec and applied by " + scriptPath + ".\n" +
	"# Change the fabric, not this file.\n"

// appendFile appends the value file.
func (s *settings) appendFile(b []byte) []byte {
	b = append(b, heading...)
	comment := ""
	for i := range rows {
		r := &rows[i]
		if r.key == "vlan" {
			b = s.appendVFs(b, true)
		}
		start := len(b)
		if r.comment != "" {
			comment = r.comment
		}
		if comment != "" {
			b = append(append(append(b, "# "...), comment...), '\n')
		}
		b = append(append(b, r.key...), '=')
		value := len(b)
		if b = r.value(b, s); len(b) == value {
			b = b[:start]
			continue
		}
		b = append(b, '\n')
		comment = ""
	}
	return b
}

// appendState appends what nic/IF should be: the same lines, without those the host's network configuration decides.
func (s *settings) appendState(b []byte) []byte {
	for i := range rows {
		r := &rows[i]
		if r.key == "vlan" {
			b = s.appendVFs(b, false)
		}
		if r.host {
			continue
		}
		start := len(b)
		b = append(append(b, r.key...), '=')
		value := len(b)
		if b = r.value(b, s); len(b) == value {
			b = b[:start]
			continue
		}
		b = append(b, '\n')
	}
	return b
}

// appendVFs appends the lines of the virtual functions.
func (s *settings) appendVFs(b []byte, comment bool) []byte {
	if comment && len(s.nic.VFRoCE) > 0 {
		b = append(b, "# RoCE of virtual functions\n"...)
	}
	for _, vf := range s.vfs() {
		b = append(strconv.AppendInt(append(b, vfKey...), int64(vf), 10), '=')
		if s.nic.VFRoCE[vf] {
			b = append(b, "on\n"...)
		} else {
			b = append(b, "off\n"...)
		}
	}
	return b
}

func (s *settings) vfs() []int {
	if len(s.nic.VFRoCE) == 0 {
		return nil
	}
	vfs := make([]int, 0, len(s.nic.VFRoCE))
	for vf := range s.nic.VFRoCE {
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
func (s *settings) confFile(activate target.Step) target.File {
	return target.File{
		Path:     confDir + s.nic.Name + ".conf",
		Mode:     0o644,
		Edit:     func([]byte) ([]byte, diag.List) { return s.appendFile(make([]byte, 0, fileSize)), nil },
		Keys:     func(content []byte) []target.Key { return keys(content, func([]byte) bool { return true }) },
		Why:      s.why,
		Activate: activate,
		Removing: removing,
	}
}

// stateFile is nic/IF, the NIC as it is.
func (s *settings) stateFile(activate target.Step) target.File {
	return target.File{
		Path: "nic/" + s.nic.Name,
		Edit: s.editState,
		Keys: func(content []byte) []target.Key {
			ours := s.appendState(nil)
			return keys(content, func(key []byte) bool { return find(ours, key) != nil })
		},
		Why:      s.why,
		Live:     &target.Query{Cmd: s.command("show"), Stdin: script},
		Activate: activate,
		Removing: removing,
	}
}

// command runs a verb of the script from stdin, so that it works before the script is there. What tells the script
// where to look comes as arguments, because the value file may not be there either, or may be an old one.
func (s *settings) command(verb string) string {
	var cmd strings.Builder
	cmd.WriteString("sh -s -- " + verb + " " + quote(s.nic.Name))
	if s.nic.Bond != nil && len(s.intents) > 0 {
		cmd.WriteString(" bond=" + quote(s.nic.Bond.Name))
	}
	if s.vlan > 0 {
		cmd.WriteString(" vlan=" + strconv.Itoa(s.vlan))
	}
	for _, vf := range s.vfs() {
		cmd.WriteString(" " + vfKey + strconv.Itoa(vf) + "=on")
	}
	return cmd.String()
}

// editState puts our values into what show printed. Lines that are not ours stay, and so does what the NIC does not
// support: a knob that is not there is no drift.
func (s *settings) editState(old []byte) ([]byte, diag.List) {
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
func (s *settings) why(key string) []ir.Origin {
	if vf, ok := strings.CutPrefix(key, vfKey); ok {
		if n, err := strconv.Atoi(vf); err != nil || !slices.Contains(s.vfs(), n) {
			return nil
		}
		return atNIC(s)
	}
	i := slices.IndexFunc(rows, func(r row) bool { return r.key == key })
	if i < 0 || len(rows[i].value(nil, s)) == 0 {
		return nil
	}
	return rows[i].why(s)
}

// removing tells whether a priority loses PFC.
func removing(before, after []byte) bool {
	before, after = find(before, []byte("pfc")), find(after, []byte("pfc"))
	if len(before) != len(after) {
		return false // one of them has no mask, so there is nothing to compare
	}
	for i := range before {
		if before[i] == '1' && after[i] == '0' {
			return true
		}
	}
	return false
}
