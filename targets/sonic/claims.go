package sonic

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// claims lists statements that rocec relies on, each with a query that confirms or refutes it on a switch. Some come from SONiC's
// sources, and others are undocumented. The queries read only keys, numbers and words of the grammar, since the configuration contains
// logins, addresses and names.
func claims(d *ir.Device) []target.Claim {
	v, err := grammar.ParseVersion(d.Switch.Version)
	if err != nil || len(d.Ports) == 0 {
		return nil
	}
	port := target.SortedPorts(d)[0].Name
	return []target.Claim{
		{
			ID: "sonic-print-data",
			Says: "`sonic-cfggen -d --print-data` prints JSON with four blanks per level: tables at the first, keys at the second, fields at " +
				"the third.",
			Source: "sonic-config-engine, sonic-cfggen, of each branch; no manual describes it",
			Query: target.Query{Cmd: `sonic-cfggen -d --print-data | grep -oE '^ *"(PORT|Ethernet[0-9]+|lanes)": ' | tr -d '0-9' | ` +
				`sort -u | head -n 20`},
			Judge: func(answer []byte) target.Verdict {
				lines := strings.Split(string(answer), "\n")
				decided, holds := true, true
				for _, l := range []string{`    "PORT": `, `        "Ethernet": `, `            "lanes": `} {
					decided = decided && strings.Contains(string(answer), strings.TrimSpace(l))
					holds = holds && slices.Contains(lines, l)
				}
				return target.Decide(decided, holds)
			},
		},
		{
			ID: "sonic-hash-text", Says: "`sonic-db-cli` prints a hash as {'name': 'value'}.",
			Source: "sonic-swss-common, sonic-db-cli: Python up to 202205, C++ after it",
			Query:  target.Query{Cmd: `sonic-db-cli CONFIG_DB HGETALL 'PORT|` + port + `' | grep -oE "..?speed.*:.[^,]*[0-9]+.?"`},
			Judge: func(answer []byte) target.Verdict {
				return target.Decide(strings.Contains(string(answer), "speed"), hashOfSpeed().Match(answer))
			},
		},
		{
			ID: "sonic-version-keys", Says: "/etc/sonic/sonic_version.yml contains build_version and asic_type.",
			Source: "sonic-buildimage, build_debian.sh; no manual lists the keys",
			Query:  target.Query{Cmd: `grep -oE '^[a-z_]+:' /etc/sonic/sonic_version.yml | head -n 40`},
			Judge: func(answer []byte) target.Verdict {
				lines := strings.Split(string(answer), "\n")
				return target.Decide(slices.ContainsFunc(lines, keyLine().MatchString),
					slices.Contains(lines, "build_version:") && slices.Contains(lines, "asic_type:"))
			},
		},
		{
			ID: "sonic-applied-groups", Own: true,
			Says:   "A priority group in APPL_DB is BUFFER_PG_TABLE:Ethernet0:3-4, and its profile is named without a table.",
			Source: "sonic-swss, cfgmgr; up to 202106 the profile was in brackets, after its table's name",
			Query: target.Query{Cmd: `for k in $(sonic-db-cli APPL_DB KEYS 'BUFFER_PG_TABLE:Ethernet*' | head -n 4); do ` +
				`echo "$k $(sonic-db-cli APPL_DB HGET "$k" profile | grep -oE '^(\[BUFFER_PROFILE_TABLE:)?(pg_lossless|ingress)?')"; done`},
			Judge: func(answer []byte) target.Verdict {
				lines := strings.Split(strings.TrimSpace(string(answer)), "\n")
				return target.Decide(strings.HasPrefix(lines[0], "BUFFER_PG_TABLE"),
					!slices.ContainsFunc(lines, func(l string) bool { return !appliedGroup().MatchString(l) }))
			},
		},
		listClaim(v.Release),
		{
			ID: "sonic-admin-status", Says: "Every port has an admin_status in PORT.",
			Source: "issues of sonic-buildimage report parts of split ports without admin_status, which get no lossless priority group",
			Query: target.Query{Cmd: `ports=$(sonic-cfggen -d --var-json PORT)` + "\n" +
				`for f in lanes admin_status; do echo "$(echo "$ports" | grep -oF "\"$f\":" | grep -c .) \"$f\":"; done`},
			Judge: func(answer []byte) target.Verdict {
				lanes := counted(string(answer), "lanes")
				return target.Decide(lanes > 0, lanes == counted(string(answer), "admin_status"))
			},
		},
		{
			ID: "sonic-lookup-columns", Says: "A row of pg_profile_lookup.ini has speed, length, size, xon, xoff and threshold, and on some " +
				"chips xon_offset.",
			Source: "the files of device/ in sonic-buildimage; no document describes the format",
			Query: target.Query{Cmd: `f=/usr/share/sonic/device/$(sonic-cfggen -d -v DEVICE_METADATA.localhost.platform)/` +
				`$(sonic-cfggen -d -v DEVICE_METADATA.localhost.hwsku)/pg_profile_lookup.ini` + "\n" +
				`grep -E '^ *[0-9]' "$f" | tr -s ' \t' ' ' | cut -d ' ' -f 1-12 | head -n 40`},
			Judge: func(answer []byte) target.Verdict {
				lines := strings.Split(strings.TrimSpace(string(answer)), "\n")
				return target.Decide(lookupStart().MatchString(lines[0]),
					!slices.ContainsFunc(lines, func(l string) bool { return !lookupLine().MatchString(l) }))
			},
		},
	}
}

var (
	hashOfSpeed  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'speed': '[0-9]+'`) })
	keyLine      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_]+:$`) })
	appliedGroup = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^BUFFER_PG_TABLE:Ethernet[0-9]+:[0-7](-[0-7])? (pg_lossless|ingress)?$`)
	})
	lookupStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ ?[0-9]+ `) })
	lookupLine  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ ?[0-9]+ [0-9]+m( [0-9]+){3} -?[0-9]+( [0-9]+)? ?$`)
	})
)

// counted returns the number before a field in a line of an answer; 0 if the field is missing.
func counted(answer, field string) int {
	for line := range strings.Lines(answer) {
		if n, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == `"`+field+`":` {
			if n, err := strconv.Atoi(n); err == nil {
				return n
			}
		}
	}
	return 0
}

// listClaim is about the tables in which a patch may change only some fields.
func listClaim(r grammar.Release) target.Claim {
	says, listed := "WRED_PROFILE, BUFFER_POOL, BUFFER_PROFILE and PFC_WD", []string{"BUFFER_POOL", "BUFFER_PROFILE", "PFC_WD", "WRED_PROFILE"}
	if r >= free {
		says, listed = "BUFFER_POOL, BUFFER_PROFILE and PFC_WD, and not WRED_PROFILE", listed[:3]
	}
	return target.Claim{
		ID: "sonic-patch-list", Says: "The allow-list of patches has the tables " + says + ".",
		Source: "sonic-utilities, generic_config_updater/gcu_field_operation_validators.conf.json of the branch; builds of vendors may differ",
		Query: target.Query{Cmd: `grep -hoE '"(WRED_PROFILE|BUFFER_POOL|BUFFER_PROFILE|BUFFER_PG|BUFFER_QUEUE|QUEUE|SCHEDULER|PORT_QOS_MAP|PFC_WD)":' ` +
			`/usr/local/lib/python3*/dist-packages/generic_config_updater/gcu_field_operation_validators.conf.json | sort -u`},
		Judge: func(answer []byte) target.Verdict {
			var found []string
			for line := range strings.Lines(string(answer)) {
				if name, ok := strings.CutSuffix(strings.TrimSpace(line), `":`); ok && strings.HasPrefix(name, `"`) {
					found = append(found, name[1:])
				}
			}
			return target.Decide(len(found) > 0, slices.Equal(found, listed))
		},
	}
}
