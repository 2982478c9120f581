package steps

import (
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// Show returns the query that reads a NIC by the script. The script comes from stdin, so the query also works before the script is
// installed. At states where to look, because the value file may be missing or old.
func (k *Kit) Show(n NIC) *commands.Query {
	var cmd strings.Builder
	cmd.WriteString("sh -s -- show " + Quote(n.Name))
	for _, arg := range n.At {
		key, value, _ := strings.Cut(arg, "=")
		cmd.WriteString(" " + key + "=" + Quote(value))
	}
	return &commands.Query{Name: k.Driver + " show " + Word(n.Name, nil, n.At), Cmd: cmd.String(), Stdin: k.Script()}
}

// Look returns the query that reads a leaving NIC, which may not exist.
func (k *Kit) Look(n NIC) *commands.Query {
	return &commands.Query{
		Name:  k.Driver + " look " + Word(n.Name, nil, n.At),
		Cmd:   "[ ! -e /sys/class/net/" + Quote(n.Name) + " ] || sh -s -- show " + Quote(n.Name) + n.Where(),
		Stdin: k.Script(),
	}
}

// Held returns the query that prints everything of the family on a host. The first line of a value file names the script that applies it.
func (k *Kit) Held() *commands.Query {
	return &commands.Query{Name: k.Driver + " held", Cmd: `for f in ` + ConfDir + `*.conf; do
[ -f "$f" ] || continue
read -r line <"$f"
case $line in *" ` + scriptAt + k.Suffix + `."*) n=${f##*/} ;; *) continue ;; esac
printf 'nic %s\n' "${n%.conf}"
while IFS= read -r line; do
case $line in bond=* | vlan=* | vf_roce_* | dcqcn_* | stall_prevention=*) printf 'at %s\n' "$line" ;; esac
done <"$f"
done
for f in ` + beforeAt + k.Suffix + `/*.before; do
[ -f "$f" ] || continue
n=${f##*/}
printf 'nic %s\n' "${n%.before}"
while IFS= read -r line; do printf '\t%s\n' "$line"; done <"$f"
done
for f in ` + beforeAt + k.Suffix + `/*.stored; do
[ -f "$f" ] || continue
n=${f##*/}
printf 'stored %s\n' "${n%.stored}"
while IFS= read -r line; do printf '\t%s\n' "$line"; done <"$f"
done
for f in ` + scriptAt + k.Suffix + " " + unitAt + k.Suffix + unitEnd + " " +
		rulesAt + k.Suffix + rulesEnd + `; do [ ! -f "$f" ] || printf 'file %s\n' "$f"; done
true`}
}
