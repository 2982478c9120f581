package sonic_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// model simulates a switch that accepts patches and commands for the tables of QoS and buffers. The test fails if the allow-list or the
// models refuse something. In the traditional model its buffer manager follows cfgmgr/buffermgr.cpp of its branch. It shares no code with
// the sequence, except the verdict on single operations; that is compared with the code of each branch.
type model struct {
	require.TestingT
	box    grammar.Box
	asic   string
	cfg    *grammar.Config
	lookup grammar.Lookup

	pfc, cable, admin map[string]string // what the buffer manager remembers
	flaps             map[string]int
}

func newModel(t require.TestingT, b box, state string) *model {
	m := &model{
		TestingT: t, asic: b.asic, cfg: read(t, state), pfc: map[string]string{}, cable: map[string]string{}, admin: map[string]string{},
		flaps: map[string]int{},
	}
	var err error
	m.box, err = grammar.BoxOf(m.cfg, "", "")
	require.NoError(t, err)
	if m.lookup = grammar.LookupOf(m.cfg); m.lookup == nil { // the switch has the file, although the state does not contain it
		full := b
		full.lookup = []string{"5m", "40m", "300m"}
		m.lookup = grammar.LookupOf(read(t, full.state()))
	}
	for _, key := range m.cfg.Keys("BUFFER_PG") { // the switch has made these profiles, although the state does not contain them
		if speed, metres, made := grammar.ParseProfileName(m.cfg.Get("BUFFER_PG", key, "profile")); made {
			m.make(speed, metres)
		}
	}
	for _, p := range m.cfg.Keys("PORT") {
		if row := m.cfg.Row("PORT", p); row.Has("admin_status") || m.box.Release >= 202511 {
			m.admin[p] = row.Get("admin_status")
		}
		if row := m.cfg.Row("PORT_QOS_MAP", p); row.Has("pfc_enable") {
			m.pfc[p] = row.Get("pfc_enable")
		}
		if row := m.cfg.Row("CABLE_LENGTH", "AZURE"); row.Has(p) {
			m.cable[p] = row.Get(p)
		}
	}
	return m
}

// look runs the buffer manager after an event of a port.
func (m *model) look(p string) {
	cable, known := m.cable[p]
	admin, said := m.admin[p]
	pfc, bound := m.pfc[p]
	if grammar.Dynamic(m.cfg) || !known || cable == "0m" || !said || !bound {
		return
	}
	mask, _ := grammar.ParseDigits(pfc)
	speed, _ := strconv.Atoi(m.cfg.Get("PORT", p, "speed"))
	metres, _ := grammar.ParseMetres(cable)
	profile := grammar.ProfileName(speed, metres)
	if admin != "up" && m.asic == "mellanox" {
		for _, index := range grammar.Ranges(mask) {
			if m.cfg.Get("BUFFER_PG", p+"|"+index, "profile") == profile {
				m.cfg.Delete("BUFFER_PG", p+"|"+index, "")
			}
		}
		return
	}
	if !m.make(speed, metres) {
		return
	}
	for _, index := range grammar.Ranges(mask) {
		m.cfg.Put("BUFFER_PG", p+"|"+index, "profile", profile)
	}
}

// make adds a profile if it is missing; not ok: the lookup file has no sizes, or there is no pool.
func (m *model) make(speed, metres int) (ok bool) {
	profile := grammar.ProfileName(speed, metres)
	sizes, ok := m.lookup[speed][metres]
	if !ok || m.cfg.Row("BUFFER_POOL", grammar.Pool) == nil {
		return false
	}
	if m.cfg.Row("BUFFER_PROFILE", profile) != nil {
		return true
	}
	for field, text := range map[string]string{
		"pool": grammar.Pool, "size": sizes.Size, "xon": sizes.Xon, "xoff": sizes.Xoff,
		m.cfg.Get("BUFFER_POOL", grammar.Pool, "mode") + "_th": sizes.Threshold,
	} {
		m.cfg.Put("BUFFER_PROFILE", profile, field, text)
	}
	if sizes.XonOffset != "" {
		m.cfg.Put("BUFFER_PROFILE", profile, "xon_offset", sizes.XonOffset)
	}
	return true
}

// events lets the buffer manager handle all differences.
func (m *model) events(before *grammar.Config) {
	for _, p := range m.cfg.Keys("PORT") {
		if length := m.cfg.Get("CABLE_LENGTH", "AZURE", p); length != "" && length != m.cable[p] {
			m.cable[p] = length
			if m.box.Release >= 202511 {
				m.look(p)
			}
		}
		row := m.cfg.Row("PORT_QOS_MAP", p)
		if pfc, ok := m.pfc[p]; row.Has("pfc_enable") && (!ok || pfc != row.Get("pfc_enable")) {
			m.pfc[p] = row.Get("pfc_enable")
			m.look(p)
		}
		if row == nil && before.Row("PORT_QOS_MAP", p) != nil && m.box.Release >= 202605 {
			delete(m.pfc, p)
		}
	}
}

func (m *model) set(port, admin string) {
	m.admin[port] = admin
	m.look(port)
}

// run applies the steps of a sequence.
func (m *model) run(steps []grammar.Stage) {
	for _, s := range steps {
		if len(s.Ops) > 0 {
			require.Empty(m, s.Cmds)
			require.Empty(m, s.Drops)
			m.patch(s)
		}
		for _, c := range s.Cmds {
			m.command(c)
		}
		for _, d := range s.Drops {
			m.drop(d)
		}
	}
}

func (m *model) patch(s grammar.Stage) {
	removed := map[string]bool{}
	for _, o := range s.Ops {
		v := m.box.Allowed(o)
		require.True(m, v.Allowed, "%s %s: %s", o.Kind, o.Path(), v.Reason)
		if o.Kind == grammar.Remove {
			removed[string(grammar.JSON([]grammar.Operation{{Kind: grammar.Add, Row: o.Row, Field: o.Field, Value: o.Was}}))] = true
		}
	}
	for _, o := range s.Ops { // a value that is removed and added elsewhere is a move, which the allow-list refuses in tables with entries
		switch o.Table {
		case "PFC_WD", "BUFFER_PROFILE", "BUFFER_POOL", "WRED_PROFILE":
			require.False(m, o.Kind == grammar.Add && len(removed) > 0, o.Path())
		}
	}
	down := grammar.Flapped(m.cfg, s.Ops)
	require.Equal(m, down, s.Ports)
	require.LessOrEqual(m, len(down), grammar.PortsPerPatch)
	for _, p := range down {
		m.flaps[p]++
		m.set(p, "down")
	}
	before := m.cfg
	next, err := grammar.Apply(before, s.Ops)
	if err != nil { // the buffer manager has already removed a group that the patch removes
		ops := slices.DeleteFunc(slices.Clone(s.Ops), func(o grammar.Operation) bool {
			return o.Table == "BUFFER_PG" && o.Kind == grammar.Remove && o.Row != "" && m.cfg.Row("BUFFER_PG", o.Row) == nil
		})
		next, err = grammar.Apply(before, ops)
	}
	require.NoError(m, err)
	m.cfg = next
	m.valid()
	m.events(before)
	for _, p := range down {
		m.set(p, "up")
	}
}

// valid checks the names in the configuration by the rules of the models.
func (m *model) valid() {
	for i := range grammar.Tables {
		t := &grammar.Tables[i]
		if s := m.cfg.Tables[t.Name]; s != nil {
			require.NotEmpty(m, s.Rows, t.Name)
		}
		for _, key := range m.cfg.Keys(t.Name) {
			for _, name := range m.cfg.Row(t.Name, key).Names() {
				f, _ := t.Field(m.box.Release, name)
				text := m.cfg.Get(t.Name, key, name)
				require.NotNil(m, f, "%s %s %s", t.Name, key, name)
				require.Empty(m, f.Wrong(m.box.Release, text), "%s %s %s %q", t.Name, key, name, text)
				switch {
				case f.Kind == grammar.Ref:
					require.NotNil(m, m.cfg.Row(f.Words[0], text), "%s %s %s %s", t.Name, key, name, text)
				case f.Kind == grammar.Profile && text != "NULL":
					require.NotNil(m, m.cfg.Row("BUFFER_PROFILE", text), "%s %s %s", t.Name, key, text)
				}
			}
		}
	}
	poll, _ := strconv.Atoi(m.cfg.Get("PFC_WD", "GLOBAL", "POLL_INTERVAL"))
	for _, p := range m.cfg.Keys("PFC_WD") {
		for _, field := range []string{"detection_time", "restoration_time"} {
			if n, err := strconv.Atoi(m.cfg.Get("PFC_WD", p, field)); err == nil {
				require.GreaterOrEqual(m, n, poll)
			}
		}
	}
}

func (m *model) command(c grammar.Command) {
	switch {
	case c[0] == "pfcwd" && c[1] == "interval":
		m.cfg.Put("PFC_WD", "GLOBAL", "POLL_INTERVAL", c[2])
	case c[0] == "pfcwd" && c[1] == "stop":
		for _, p := range c[2:] {
			m.cfg.Delete("PFC_WD", p, "")
		}
	case c[0] == "pfcwd" && c[1] == "start":
		require.Equal(m, "--action", c[2])
		i := slices.Index(c, "--restoration-time")
		for _, p := range c[4 : i-1] {
			require.NotEmpty(m, m.cfg.Get("PORT_QOS_MAP", p, "pfc_enable"), "pfcwd start wants PFC on %s", p)
			m.cfg.Put("PFC_WD", p, "action", c[3])
			m.cfg.Put("PFC_WD", p, "detection_time", c[i-1])
			m.cfg.Put("PFC_WD", p, "restoration_time", c[i+1])
			if m.box.Release >= 202511 {
				m.cfg.Put("PFC_WD", p, "pfc_stat_history", "disable")
			}
		}
	case c.String() == "sonic-db-cli CONFIG_DB DEL 'PFC_WD|GLOBAL'":
		m.cfg.Delete("PFC_WD", "GLOBAL", "")
	case c[0] == "ecnconfig":
		require.NotNil(m, m.cfg.Row("WRED_PROFILE", c[2]), "ecnconfig needs an existing profile")
		for i := 3; i < len(c); i += 2 {
			field := map[string]string{"-gmin": "green_min_threshold", "-gmax": "green_max_threshold", "-gdrop": "green_drop_probability"}[c[i]]
			m.cfg.Put("WRED_PROFILE", c[2], field, c[i+1])
		}
	case strings.Join(c[:3], " ") == "config interface shutdown":
		m.flaps[c[3]]++
		m.set(c[3], "down")
	case strings.Join(c[:3], " ") == "config interface startup":
		m.set(c[3], "up")
	default:
		require.Failf(m, "no such command", "%v", c)
	}
	m.valid()
}

func (m *model) drop(d grammar.Drop) {
	for _, row := range m.cfg.Keys("BUFFER_PG") {
		port, index, _ := strings.Cut(row, "|")
		if port == d.Port && !slices.Contains(d.Keep, index) && grammar.IsMade(m.cfg.Get("BUFFER_PG", row, "profile")) {
			m.cfg.Delete("BUFFER_PG", row, "")
		}
	}
	m.valid()
}

// same compares the state of the switch with another state. Unused profiles of the buffer manager stay on the switch, and are not in its
// state.
func (m *model) same(text string) {
	require.Equal(m, string(read(m, text).Rows()), string(m.cfg.Rows()))
}
