package grammar

import (
	"maps"
	"slices"
	"strings"
)

// The bounds for the ports that one key lists, and that all keys of a table list together.
const (
	MaxListed = 1 << 12
	MaxHeld   = 1 << 17
)

// Listed returns the ports of a key, which may list several: Ethernet0,Ethernet4.
func Listed(key string) []string {
	if !strings.Contains(key, ",") {
		return []string{key}
	}
	var out []string
	for port := range strings.SplitSeq(key, ",") {
		if port = strings.TrimSpace(port); port != "" {
			out = append(out, port)
		}
	}
	return out
}

// ofPorts are the tables whose keys contain only ports.
var ofPorts = []string{"PORT_QOS_MAP", "PFC_WD"}

// Spread returns the configuration with one row per port, as the switch reads a row that lists several ports. A row that names a single
// port takes precedence. Rows with more than [MaxListed] ports are omitted, and so are rows of a table beyond [MaxHeld]. Two rows that
// have the same port are noted in [Config.Found].
func Spread(c *Config) *Config {
	out := c
	for _, name := range slices.Concat(ofPorts, ofRanges) {
		s := c.Tables[name]
		if s == nil {
			continue
		}
		rows, lists := make(map[string]*Row, len(s.Rows)), []string(nil)
		for key, row := range s.Rows {
			if strings.Contains(key, ",") {
				lists = append(lists, key)
			} else {
				rows[key] = row
			}
		}
		if lists == nil {
			continue
		}
		if out == c {
			own := *c
			own.Tables, own.Found = maps.Clone(c.Tables), slices.Clip(c.Found)
			out = &own
		}
		out.Tables[name] = &Section{At: s.At, Rows: rows}
		slices.Sort(lists)
		spread(out, name, s, lists)
	}
	return out
}

func spread(c *Config, name string, from *Section, lists []string) {
	rows, held := c.Tables[name].Rows, 0
	for _, list := range lists {
		ports, rest, ranged := strings.Cut(list, "|")
		if strings.Count(list, ",") >= MaxListed {
			continue
		}
		row := from.Rows[list]
		for _, port := range Listed(ports) {
			if held++; held > MaxHeld {
				return
			}
			key := port
			if ranged {
				key += "|" + rest
			}
			switch other := rows[key]; {
			case other == nil:
				rows[key] = row
			case other != row && slices.Contains(ofPorts, name):
				first, second := min(other.At, row.At), max(other.At, row.At)
				c.problem(Problem{At: second, And: first, Twice: true, Table: name, Row: list},
					"Two rows of %s hold the port %s. Their order decides which one counts.", name, quoteShort(port))
			}
		}
	}
}
