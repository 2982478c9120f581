package topology

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Columns returns the names of the columns of a sheet. [Options.Columns] may set other headers for them.
func Columns() []string { return slices.Clone(columnNames[:]) }

// otherHeaders has the headers of other programs, including test beds and inventories, by column. Only letters and digits are compared.
// These headers are used if the sheet lacks the column's own name.
var otherHeaders = [columns][]string{
	aDevice: {
		"startdevice", "localdevice", "localswitch", "localhost", "localnode", "localhostname", "sourcedevice", "sourcehost",
		"sourcenode", "sourceswitch", "srcdevice", "srcnode", "srchost", "fromdevice", "fromnode", "devicea", "nodea", "hosta",
		"switcha", "sideadevice", "aenddevice", "aendhostname", "aendhost", "aendnode", "anodename", "asidedevice", "asidehostname",
		"leftdevice", "device1", "node1", "host1", "switch1", "terminationadevice", "adevice", "ahostname", "hostname", "switch",
	},
	aPort: {
		"startport", "localport", "localinterface", "localintf", "sourceport", "sourceinterface", "srcport", "srcinterface",
		"srcintf", "fromport", "frominterface", "porta", "interfacea", "sideaname", "sideaport", "aendport", "aendinterface",
		"asideport", "asideinterface", "ainterface", "leftport", "port1", "interface1", "intf1", "terminationa", "switchport",
		"switchinterface", "port", "interface",
	},
	bDevice: {
		"enddevice", "remotedevice", "remoteswitch", "remotehost", "remotenode", "remotehostname", "destinationdevice",
		"destinationhost", "destinationnode", "destinationswitch", "dstdevice", "dstnode", "dsthost", "destdevice", "todevice",
		"tonode", "deviceb", "nodeb", "hostb", "switchb", "targetdevice", "targethost", "targetnode", "targetswitch",
		"sidebdevice", "benddevice", "zenddevice", "zendhostname", "zendhost", "zendnode", "znodename", "zsidedevice", "zsidehostname",
		"bsidedevice", "bsidehostname", "rightdevice", "device2", "node2", "host2", "switch2", "terminationbdevice", "zdevice",
		"zhostname", "neighbor", "neighbour", "neighbordevice", "peerdevice", "peer", "server", "servername", "host",
	},
	bPort: {
		"endport", "remoteport", "remoteinterface", "remoteintf", "destinationport", "destinationinterface", "dstport",
		"dstinterface", "dstintf", "destport", "toport", "tointerface", "portb", "interfaceb", "targetport", "targetinterface", "sidebname",
		"sidebport", "bendport", "zendport", "zendinterface", "zsideport", "zsideinterface", "bsideport", "bsideinterface", "binterface",
		"zport", "zinterface", "rightport", "port2", "interface2", "intf2", "terminationb", "neighborport", "neighbourport",
		"neighborinterface", "peerport", "peerinterface", "serverport", "serverinterface", "servernic", "hostport", "hostinterface", "nic",
	},
	a:               {"source", "from", "local", "src", "aend", "sidea", "enda", "aside"},
	b:               {"destination", "to", "remote", "dst", "target", "bend", "sideb", "endb", "zend", "zside", "sidez", "bside"},
	aType:           {"sideatype", "terminationatype", "aendtype", "asidetype", "atype"},
	bType:           {"sidebtype", "terminationbtype", "zendtype", "bendtype", "zsidetype", "bsidetype", "btype", "ztype"},
	statusColumn:    {"cablestatus"},
	typeColumn:      {"cabletype"},
	speedColumn + 2: {"linkmtu"},
}

// letters folds a header to its letters and digits.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return -1
	}, s)
}

// named finds the columns whose headers are in Options. It returns false after a mistake.
func (c *sheet) named() bool {
	for _, name := range slices.Sorted(maps.Keys(c.columns)) {
		k, want := slices.Index(columnNames[:], name), c.columns[name]
		if k < 0 {
			continue // package lang has reported it
		}
		i := slices.IndexFunc(c.fields, func(f word) bool { return strings.EqualFold(f.v, strings.TrimSpace(want)) })
		if i < 0 {
			var have []string
			for _, f := range c.fields {
				if f.v != "" {
					have = append(have, quote(f.v))
				}
			}
			c.mistake(&Syntax, c.fields[0].from, c.fields[len(c.fields)-1].to,
				"The columns of this sheet are %s. There is no %s, which is the header of %s in columns. Use one of these columns.",
				diag.Some(have, 12), quote(want), name)
			return false
		}
		c.index[k] = i
	}
	return true
}

// guess finds columns by the headers of other programs, for ends that have no column yet, and for speed, length and mtu. [sheet.passed]
// reports ignored columns that look like one of these three.
func (c *sheet) guess() {
	taken := map[int]bool{}
	for _, i := range c.index {
		taken[i] = true
	}
	folded := make([]string, len(c.fields))
	for i, f := range c.fields {
		folded[i] = letters(f.v)
	}
	find := func(k int, words []string) {
		if c.index[k] >= 0 {
			return
		}
		for _, w := range words {
			if i := slices.Index(folded, w); i >= 0 && !taken[i] {
				c.index[k], taken[i] = i, true
				return
			}
		}
	}
	for _, side := range [][3]int{{a, aDevice, aPort}, {b, bDevice, bPort}} {
		one, device, port := side[0], side[1], side[2]
		if c.index[one] >= 0 {
			continue
		}
		find(port, otherHeaders[port])
		if find(device, otherHeaders[device]); c.index[device] >= 0 {
			continue
		}
		if c.index[port] >= 0 {
			find(device, otherHeaders[one]) // "Source" beside "Source Port" is only the device
		} else {
			find(one, otherHeaders[one])
		}
	}
	for k := aType; k < columns; k++ {
		find(k, otherHeaders[k])
	}
	for k := range attrNames {
		c.attrColumn(k, taken)
	}
}
