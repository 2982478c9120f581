package bundle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/mask"
)

// deviceFacts contains the names, addresses and serial numbers of a device, which the mask replaces, and its system.
type deviceFacts struct {
	whole          bool // the answer is complete
	hosts, domains []string
	users, serials []string
	macs           []string
	system         string // its name, and the kernel
	firmware       string // of its NICs, each once
}

// factsCmd prints the facts of a device as lines "KIND VALUE", and a last line "end". Its output is not shown.
const factsCmd = `say() { [ -z "$2" ] || printf '%s %s\n' "$1" "$2"; }
say host "$(uname -n)"
say host "$(timeout 5 hostname -f 2>/dev/null)"
while read -r key value; do
case $key in search|domain) for d in $value; do say domain "$d"; done ;; esac
done 2>/dev/null </etc/resolv.conf
while IFS=: read -r name x id rest; do
[ "${id:-0}" -lt 1000 ] 2>/dev/null || say user "$name"
done 2>/dev/null </etc/passwd
for f in /sys/class/dmi/id/*_serial /sys/class/dmi/id/product_uuid /etc/machine-id; do
[ ! -r "$f" ] || say serial "$(head -c 200 "$f" 2>/dev/null)"
done
for f in /sys/class/net/*/address /sys/class/infiniband/*/node_guid /sys/class/infiniband/*/sys_image_guid; do
[ ! -r "$f" ] || say mac "$(head -c 100 "$f" 2>/dev/null)"
done
while IFS== read -r key value; do
case $key in PRETTY_NAME) say system "$value" ;; esac
done 2>/dev/null </etc/os-release
say kernel "$(uname -r)"
for f in /sys/class/infiniband/*/fw_ver; do
[ ! -r "$f" ] || say firmware "$(head -c 100 "$f" 2>/dev/null)"
done
echo end`

// readFacts reads the answer to factsCmd.
func readFacts(answer []byte) (f deviceFacts) {
	for line := range strings.Lines(string(answer)) {
		kind, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		if plain, err := strconv.Unquote(value); err == nil {
			value = plain
		}
		switch kind {
		case "host":
			f.hosts = append(f.hosts, value)
		case "domain":
			f.domains = append(f.domains, value)
		case "user":
			f.users = append(f.users, value)
		case "serial":
			f.serials = append(f.serials, value)
		case "mac":
			f.macs = append(f.macs, value)
		case "system":
			f.system = value
		case "firmware":
			if !slices.Contains(strings.Split(f.firmware, ", "), value) {
				f.firmware = strings.TrimPrefix(f.firmware+", "+value, ", ")
			}
		case "kernel":
			f.system = strings.TrimPrefix(f.system+", kernel "+value, ", ")
		}
	}
	f.whole = strings.HasSuffix(strings.TrimSpace(string(answer)), "\nend") && len(f.hosts) > 0
	return f
}

// know adds the facts of a device to a mask.
func (f *deviceFacts) know(m *mask.Mask, word string) {
	for _, h := range f.hosts {
		if name, _, _ := strings.Cut(h, "."); !isCommon(name) {
			knowHost(m, word, h)
		}
	}
	for _, n := range f.domains {
		m.KnowAs(mask.Name, strings.Trim(n, "."))
	}
	for _, u := range f.users {
		knowUser(m, u)
	}
	for _, s := range f.serials {
		if len(s) > 3 && strings.ContainsAny(s, "0123456789") { // "None", "Not Specified", "0"
			m.KnowAs(mask.Serial, s)
		}
	}
	for _, mac := range f.macs {
		plain := strings.ReplaceAll(mac, ":", "")
		if strings.Trim(plain, "0") == "" || len(plain)%2 != 0 || len(plain) < 12 {
			continue
		}
		w := m.Word(mask.Addr)
		m.Know(mac, w)
		m.Know(plain, w)
		m.Know("0x"+plain, w)
	}
}
