package sonic

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// looking is a script that reads every port, the bonds, the VLANs of the bridge and the neighbours. A bond of SONiC is a device of the
// kernel's team driver, with the name PortChannel and a number. With LACP it has a carrier when its partner answers.
const looking = target.LookScript + `set --
for i in /sys/class/net/Ethernet*; do
set -- "$@" "${i##*/}"
done
port "$@"
for b in /sys/class/net/PortChannel*; do
[ -e "$b" ] || continue
n=${b##*/} c=0 s=''
case $n in *.*) continue ;; esac
read -r c 2>/dev/null <"$b/carrier"
for l in "$b"/lower_*; do
[ ! -e "$l" ] || s="$s ${l##*/lower_}"
done
p=00:00:00:00:00:00
[ "$c" != 1 ] || p=-
printf 'bond %s 802.3ad %s%s\n' "$n" "$p" "$s"
done
for v in /sys/class/net/*.*; do
[ ! -e "$v" ] || printf 'sub %s\n' "${v##*/}"
done
echo 'end bond'
part vlan bridge -c -json vlan show
part lldp lldpctl -f json
`

// inspect returns a query for what the fabric assumes about a switch in addition to the settings of classes.
func inspect(d *ir.Device) *target.Inspection {
	return &target.Inspection{Query: target.Query{Cmd: looking}, Parse: func(answer []byte) *target.Seen { return seen(d, answer) }}
}

func seen(d *ir.Device, answer []byte) *target.Seen {
	s := &target.Seen{Spare: map[string]bool{}}
	cabled := map[string]bool{}
	for _, p := range d.Ports {
		cabled[p.Name] = true
	}
	lines := target.ReadLines(answer)
	there := map[string]bool{}
	lines.ReadPorts(s, func(name string) bool {
		if _, ok := OS.Read(d.Switch.Model, name); !ok {
			return false
		}
		if there[name] = true; !cabled[name] {
			s.Spare[name] = true
		}
		return cabled[name]
	})
	if s.Read(target.PartPorts) {
		s.Absent = map[string]string{}
		for _, p := range d.Ports {
			if s.Ports[p.Name] == nil {
				s.Absent[p.Name] = instead(d, p.Name, there)
			}
		}
	}
	lines.ReadBonds(s)
	lines.ReadVLANs(s, d.Switch.Intents)
	if d.Switch.MLAG != "" {
		s.NotRead(target.PartMLAG, "rocec does not read MCLAG of SONiC")
	}
	lines.ReadNeighbours(s)
	return s
}

// instead describes what a switch has in place of a port.
func instead(d *ir.Device, port string, there map[string]bool) string {
	f, ok := OS.Read(d.Switch.Model, port)
	if !ok {
		return "nor any part of that port"
	}
	var parts []string
	for lane := range 8 {
		part := f
		part.Sub = int16(lane)
		if name := OS.Spell(d.Switch.Model, part); name != port && there[name] {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return "nor any part of that port: see show interfaces breakout current-mode"
	}
	return "of that port it has " + strings.Join(parts, ", ") + ": see show interfaces breakout current-mode"
}
