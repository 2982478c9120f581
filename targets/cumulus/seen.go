package cumulus

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// portsConf is the path of the file that states how ports are split. The existing ports are the interfaces of the kernel.
const portsConf = "/etc/cumulus/ports.conf"

// looking asks for every front-panel port with its subinterfaces, the VLANs of the bridge, the bonds, clagd and the neighbours. The option
// -c of bridge prints ranges; ifupdown2 of the release uses the same command.
const looking = target.LookScript + `set --
for i in /sys/class/net/swp*; do
set -- "$@" "${i##*/}"
done
port "$@"
for b in /sys/class/net/*/bonding; do
n=${b%/bonding} m='' p='' s=''
[ -e "$b" ] || continue
{ read -r m <"$b/mode"; read -r p <"$b/ad_partner_mac"; read -r s <"$b/slaves"; } 2>/dev/null
m=${m%% *}
printf 'bond %s %s %s %s\n' "${n##*/}" "${m:--}" "${p:--}" "$s"
done
for v in /sys/class/net/*.*; do
[ ! -e "$v" ] || printf 'sub %s\n' "${v##*/}"
done
echo 'end bond'
part conf cat ` + portsConf + `
part vlan bridge -c -json vlan show
part mlag clagctl -j
part lldp lldpctl -f json
`

// Inspect reads the values that the fabric assumes of a switch, such as ports and VLANs, but not the settings of classes.
func Inspect(d *ir.Device) *target.Inspection {
	return &target.Inspection{Query: target.Query{Cmd: looking}, Parse: func(answer []byte) *target.Seen { return seen(d, answer) }}
}

func seen(d *ir.Device, answer []byte) *target.Seen {
	s := &target.Seen{Spare: map[string]bool{}}
	lines := target.ReadLines(answer)
	there := map[grammar.Port]bool{}
	lines.ReadPorts(s, func(name string) bool {
		p, ok := grammar.ParsePort(name)
		there[p] = there[p] || ok
		cabled := slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return p.Name == name })
		if ok && !cabled {
			s.Spare[name] = true
		}
		return ok && cabled
	})
	conf, _ := lines.Part("conf", "cat")
	if s.Read(target.PartPorts) {
		s.Absent = map[string]string{}
		for _, p := range d.Ports {
			if port, ok := grammar.ParsePort(p.Name); ok && s.Ports[p.Name] == nil {
				s.Absent[p.Name] = instead(port, there, conf)
			}
		}
	}
	lines.ReadBonds(s)
	lines.ReadVLANs(s, d.Switch.Intents)
	readMLAG(s, d, lines)
	lines.ReadNeighbours(s)
	return s
}

// instead describes the ports that a switch has instead of a missing port.
func instead(p grammar.Port, there map[grammar.Port]bool, conf string) string {
	var parts []string
	for q := range there {
		if q.N == p.N && q.Sub >= 0 {
			parts = append(parts, q.String())
		}
	}
	slices.Sort(parts)
	said := ""
	number := strconv.Itoa(p.N)
	for word := range strings.FieldsSeq(conf) {
		if k, v, ok := strings.Cut(word, "="); ok && k == number && len(v) <= 20 {
			said = fmt.Sprintf("; %s says %s=%s", portsConf, k, v)
		}
	}
	whole := grammar.Port{N: p.N, Sub: -1}
	switch {
	case p.Sub >= 0 && there[whole]:
		return whole.String() + " is not split" + said
	case len(parts) > 0 && p.Sub < 0:
		return whole.String() + " is split into " + strings.Join(parts, ", ") + said
	case len(parts) > 0:
		return "it is split into " + strings.Join(parts, ", ") + " alone" + said
	}
	return "nor any part of that port" + said
}

// readMLAG asks clagd. If the program is missing, the switch belongs to no MLAG pair. The same holds if the fabric has no pair and the
// daemon does not answer.
func readMLAG(s *target.Seen, d *ir.Device, lines target.Lines) {
	text, why := lines.Part("mlag", "clagctl")
	var doc struct {
		Status map[string]any `json:"status"`
	}
	switch {
	case target.NotInstalled(why), why != "" && d.Switch.MLAG == "" && strings.Contains(why, "status"):
	case why != "":
		s.NotRead(target.PartMLAG, why)
	case json.Unmarshal([]byte(text), &doc) == nil && len(doc.Status) > 0:
		s.MLAG = true
	case d.Switch.MLAG != "":
		s.NotRead(target.PartMLAG, "the output of clagctl has an unknown form")
	}
}
