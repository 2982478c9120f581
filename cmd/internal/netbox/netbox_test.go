package netbox

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/topology"
)

// TestMain names the certificate of test servers in SSL_CERT_FILE, which the program reads before its first connection.
func TestMain(m *testing.M) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	s.Close()
	dir, err := os.MkdirTemp("", "rocec-netbox-")
	if err != nil {
		panic(err)
	}
	file := filepath.Join(dir, "roots.pem")
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		panic(err)
	}
	os.Setenv("SSL_CERT_FILE", file) //nolint:errcheck // a name and a value
	status := m.Run()
	os.RemoveAll(dir) //nolint:errcheck // of the system's folder
	os.Exit(status)
}

const token = "0123456789abcdef0123456789abcdef01234567"

type obj = map[string]any

// inventory is a server that answers as NetBox or Nautobot does, in the form of a release.
type inventory struct {
	*httptest.Server
	status   obj
	lists    map[string][]any
	page     int // rows of a page at most
	token    string
	before   func(w http.ResponseWriter, r *http.Request) bool // if true, it has answered itself
	requests []string
}

func serve(t *testing.T, status obj, lists map[string][]any) *inventory {
	t.Helper()
	s := &inventory{status: status, lists: lists, page: 3, token: "Token " + token}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers a request.
func (s *inventory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests = append(s.requests, r.URL.String())
	if s.before != nil && s.before(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != s.token || r.Method != http.MethodGet {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"detail": "Invalid token %s"}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Token "))
		return
	}
	if r.URL.Path == "/api/status/" {
		json.NewEncoder(w).Encode(s.status) //nolint:errcheck // to the test
		return
	}
	rows, ok := s.lists[strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/api/dcim/"), "/")]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	limit = min(limit, s.page)
	offset, _ := strconv.Atoi(q.Get("offset"))
	end := min(offset+limit, len(rows))
	var next any
	if end < len(rows) {
		q.Set("limit", strconv.Itoa(limit))
		q.Set("offset", strconv.Itoa(end))
		next = "https://" + r.Host + r.URL.Path + "?" + q.Encode()
	}
	json.NewEncoder(w).Encode(obj{
		"count": len(rows), "next": next, "previous": nil,
		"results": rows[offset:end],
	}) //nolint:errcheck // to the test
}

// dialect is how a release writes objects.
type dialect struct {
	name     string
	status   obj
	lists    bool // each end of a cable is a list
	uuid     bool
	choices  bool // each choice is an object
	roleKey  string
	rearList bool // NetBox 4.5 and later
	nested   bool // Nautobot 2: nested objects have no name
}

var dialects = []dialect{
	{name: "NetBox 3.2", status: obj{"netbox-version": "3.2.9"}, choices: true, roleKey: "device_role"},
	{name: "NetBox 4.1", status: obj{"netbox-version": "4.1.3"}, lists: true, choices: true, roleKey: "role"},
	{name: "NetBox 4.5", status: obj{"netbox-version": "4.5.0"}, lists: true, choices: true, roleKey: "role", rearList: true},
	{name: "Nautobot 1.6", status: obj{"nautobot-version": "1.6.2"}, uuid: true, choices: true, roleKey: "device_role"},
	{name: "Nautobot 2.4", status: obj{"nautobot-version": "2.4.1"}, uuid: true, choices: true, roleKey: "role", nested: true},
}

func (d *dialect) id(n int) any {
	if d.uuid {
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	}
	return n
}

func (d *dialect) choice(value, label string) any {
	switch {
	case d.nested:
		return obj{"id": d.id(900), "object_type": "extras.status", "name": label, "url": "/x"}
	case d.choices:
		return obj{"value": value, "label": label}
	}
	return value
}

// world is a small inventory: two leaves behind two patch panels, two hosts, a console, a power feed and a decommissioned cable.
func (d *dialect) world() map[string][]any {
	names := []string{"leaf1", "leaf2", "gpu1", "gpu2", "pp1", "pp2", "con1", "Leaf 3"}
	ref := func(n int) obj {
		if d.nested {
			return obj{"id": d.id(n), "object_type": "dcim.device", "url": "/x"}
		}
		return obj{"id": d.id(n), "url": "/x", "display": names[n-1], "name": names[n-1]}
	}
	var devices []any
	for i, name := range names {
		role, model, platform := "Leaf", "MSN4700-WS2F", any(obj{"id": d.id(1), "name": "cumulus-linux-5-11", "slug": "cumulus-linux-5-11"})
		switch {
		case strings.HasPrefix(name, "gpu"):
			role, model, platform = "Server", "DGX H100", nil
		case strings.HasPrefix(name, "pp"), name == "con1":
			role, model, platform = "Patch Panel", "48-Pair Fiber Panel", nil
		}
		devices = append(devices, obj{
			"id": d.id(i + 1), "name": name, d.roleKey: obj{"id": d.id(1), "name": role, "slug": strings.ToLower(role)},
			"device_type": obj{"id": d.id(1), "model": model, "slug": "m", "manufacturer": obj{"name": "Mellanox"}}, "platform": platform,
			"status": d.choice("active", "Active"), "config_context": obj{},
		})
	}
	var cables []any
	end := func(text string) (kind string, id int, o obj) {
		parts := strings.Split(text, "/")
		kind = map[string]string{
			"i": "dcim.interface", "f": "dcim.frontport", "r": "dcim.rearport", "c": "dcim.consoleport", "s": "dcim.consoleserverport",
			"t": "circuits.circuittermination", "p": "dcim.powerport", "o": "dcim.powerfeed",
		}[parts[1]]
		n, _ := strconv.Atoi(parts[0])
		o = obj{"id": d.id(100 + len(cables)), "url": "/x", "display": parts[2], "cable": 1}
		switch parts[1] {
		case "t":
			o["circuit"] = obj{"cid": "C-1"}
		case "o":
			o["name"], o["power_panel"] = parts[2], obj{"id": 1, "name": "Panel A"}
		default:
			o["name"], o["device"] = parts[2], ref(n)
		}
		return kind, 100 + len(cables), o
	}
	cable := func(a, z, kind, status, label string, length, unit any) {
		c := obj{"id": d.id(len(cables) + 1), "type": kind, "status": d.choice(status, label), "length": length, "length_unit": nil}
		if unit != nil {
			c["length_unit"] = obj{"value": unit, "label": "x"}
		}
		for side, text := range map[string]string{"a": a, "b": z} {
			kind, id, o := end(text)
			if d.lists {
				c[side+"_terminations"] = []any{obj{"object_type": kind, "object_id": id, "object": o}}
			} else {
				c["termination_"+side+"_type"], c["termination_"+side+"_id"], c["termination_"+side] = kind, id, o
			}
		}
		cables = append(cables, c)
	}
	cable("1/i/swp1", "3/i/eth0", "dac-passive", "connected", "Connected", 3.0, "m")
	cable("2/i/swp1", "4/i/eth0", "dac-passive", "planned", "Planned", 250, "cm")
	cable("1/i/swp9", "5/f/1", "smf", "connected", "Connected", 2, "m")
	cable("5/r/R", "6/r/R", "smf", "connected", "Connected", 80.5, "m")
	cable("6/f/2", "2/i/swp9", "smf", "connected", "Connected", 5, "ft")
	cable("1/i/swp2", "3/i/eth1", "dac-passive", "decommissioning", "Decommissioning", 3, "m")
	cable("1/c/Console", "7/s/1", "cat6", "connected", "Connected", nil, nil)
	cable("1/p/PSU0", "0/o/Feed 1", "power", "connected", "Connected", nil, nil)
	cable("2/i/swp30", "0/t/A", "smf", "connected", "Connected", nil, nil)
	cable("1/i/eth0", "2/i/eth0", "cat6", "connected", "Connected", nil, nil)
	front := func(id, device int, name string, position int) any {
		o := obj{"id": d.id(id), "device": ref(device), "name": name, "type": obj{"value": "lc"}}
		switch {
		case d.rearList:
			o["rear_ports"] = []any{obj{"position": 1, "rear_port": d.id(300 + device), "rear_port_position": position}}
		case d.nested:
			o["rear_port"], o["rear_port_position"] = obj{"id": d.id(300 + device), "object_type": "dcim.rearport"}, position
		default:
			o["rear_port"], o["rear_port_position"] = obj{"id": d.id(300 + device), "name": "R"}, position
		}
		return o
	}
	rear := func(device int) any {
		return obj{"id": d.id(300 + device), "device": ref(device), "name": "R", "positions": 2}
	}
	mgmt := func(id, device int) any {
		return obj{"id": d.id(id), "device": ref(device), "name": "eth0", "mgmt_only": true}
	}
	return map[string][]any{
		"cables": cables, "devices": devices, "interfaces": {mgmt(201, 1), mgmt(202, 2), mgmt(203, 8)},
		"front-ports": {front(211, 5, "1", 1), front(212, 5, "2", 2), front(213, 6, "1", 2), front(214, 6, "2", 1)},
		"rear-ports":  {rear(5), rear(6)},
	}
}

func environment(kind string) Environment {
	return Environment{Getenv: func(name string) string {
		if name == Kinds[kind] {
			return " " + token + "\n"
		}
		return ""
	}, Wait: func(context.Context, time.Duration) error { return nil }}
}

// cabling reads sheets as a draft does.
func cabling(t *testing.T, r *Records) topology.Cabling {
	t.Helper()
	o := topology.Options{Most: 1000}
	for _, s := range r.Sheets[1:] {
		o.Sheets = append(o.Sheets, topology.Sheet{Name: s.Name, Src: s.Data})
	}
	c, ds := topology.ReadAll("csv", r.Sheets[0].Name, r.Sheets[0].Data, o)
	require.False(t, ds.HasErrors(), "%v", ds)
	return c
}

// The sheets from each release differ only in identifiers, and the reader of exports finds the links in them.
func TestDialects(t *testing.T) {
	var first *Records
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := serve(t, d.status, d.world())
			r, err := Read(t.Context(), "netbox:"+s.URL+"/", environment("netbox"))
			require.NoError(t, err)
			assert.Contains(t, r.System, strings.Fields(d.name)[0])
			assert.Empty(t, r.Notes)
			assert.Equal(t, 10, r.Count)
			c := cabling(t, r)
			var got []string
			for _, e := range c.Edges {
				var text strings.Builder
				text.WriteString(e.A.Device + ":" + e.A.Port + " " + e.B.Device + ":" + e.B.Port)
				for _, a := range e.Attrs {
					text.WriteString(" " + a.Name + "=" + a.Text)
				}
				got = append(got, text.String())
			}
			assert.Equal(t, []string{
				"leaf1:swp1 gpu1:eth0 length=3m", "leaf2:swp1 gpu2:eth0 length=250cm planned=true", "leaf1:swp9 leaf2:swp9 length=84.024m",
			}, got)
			assert.Equal(t, "1 decommissioned, 1 in console ports, 1 in management ports, 1 in power ports and 1 to circuits of a "+
				"provider", c.Left.String())
			assert.Equal(t, topology.Node{Function: "Leaf", System: "cumulus-linux-5-11", Model: "MSN4700-WS2F"}, c.Nodes["leaf1"])
			for _, request := range s.requests {
				assert.Equal(t, d.nested && request != "/api/status/", strings.Contains(request, "depth=1"), request)
			}
			if first == nil {
				first = r
			}
			require.Len(t, r.Sheets, 4)
			for i, sheet := range r.Sheets[1:] {
				assert.Equal(t, strings.ToLower(string(first.Sheets[i+1].Data)), strings.ToLower(string(sheet.Data)))
			}
		})
	}
}

// Two runs write the same bytes, even if the rows are in another order.
func TestOrder(t *testing.T) {
	d := dialects[1]
	lists := d.world()
	s := serve(t, d.status, lists)
	one, err := Read(t.Context(), "netbox:"+s.URL, environment("netbox"))
	require.NoError(t, err)
	for _, rows := range lists {
		for i := range len(rows) / 2 {
			rows[i], rows[len(rows)-1-i] = rows[len(rows)-1-i], rows[i]
		}
	}
	two, err := Read(t.Context(), "netbox:"+s.URL+"/api/", environment("netbox"))
	require.NoError(t, err)
	require.Equal(t, one, two)
}

// Odd objects are left out, and the message counts or names them. Two devices of the same name end the run.
func TestOddObjects(t *testing.T) {
	d := dialects[1]
	lists := d.world()
	side := func(device int, names ...string) (out []any) {
		for _, n := range names {
			out = append(out, obj{"object_type": "dcim.interface", "object_id": 1, "object": obj{
				"id": 1, "name": n,
				"device": obj{"id": device, "name": nil},
			}})
		}
		return out
	}
	row := func(a, z []any) obj {
		return obj{"id": 100 + len(lists["cables"]), "a_terminations": a, "b_terminations": z, "type": "", "status": nil}
	}
	add := func(a, z []any) { lists["cables"] = append(lists["cables"], row(a, z)) }
	add(side(1, "swp5", "swp6"), side(2, "swp5", "swp6"))
	add(side(1, "swp7"), side(2, "swp7", "swp8"))
	add(side(1, "swp10"), nil)
	add(side(1, "swp11"), side(99, "x"))
	add(side(1, "swp12"), []any{obj{"object_type": "dcim.interface", "object_id": 7, "object": nil}})
	s := serve(t, d.status, lists)
	r, err := Read(t.Context(), "netbox:"+s.URL, environment("netbox"))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"1 cable with an end that has no name", "1 cable with more ends on one side than on the other", "1 cable without an end on one " +
			"side",
		"nothing of 1 cable with several ends on each side: the first end goes to the first, and so on. Check these",
		"the names of 1 device, which the inventory lacks: device-99",
	}, r.Notes)
	assert.Contains(t, string(r.Sheets[0].Data), "leaf1,dcim.interface,swp6,leaf2,dcim.interface,swp6,")

	lists["devices"] = append(lists["devices"], obj{"id": 55, "name": "LEAF1"})
	add(side(55, "swp1"), side(2, "swp20"))
	_, err = Read(t.Context(), "netbox:"+s.URL, environment("netbox"))
	require.ErrorContains(t, err, "has 2 devices called leaf1 (1 and 55), and names in a fabric are unique. Rename them, or read one site: "+
		"netbox:https://127")

	lists["cables"] = []any{row(side(1, "swp1"), nil)}
	_, err = Read(t.Context(), "netbox:"+s.URL+"?site=ams1", environment("netbox"))
	require.ErrorContains(t, err, "lists no cable with two ends for site=ams1 (1 cable without an end on one side)")
	assert.Contains(t, strings.Join(s.requests, " "), "/api/dcim/cables/?site=ams1&limit=1000")
}

// Each failure is one sentence with the remedy. The exit status states a failure of a machine or wrong usage. No message contains the
// token.
func TestFailures(t *testing.T) {
	other := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("rocec sent a request to another origin: %s %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	text := func(status int, body string, headers ...string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			w.Write([]byte(body)) //nolint:errcheck // to the test
			return true
		}
	}
	cables := func(f func(w http.ResponseWriter, r *http.Request) bool) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/cables/") && f(w, r)
		}
	}
	page := func(next string) func(w http.ResponseWriter, r *http.Request) bool {
		return cables(text(200, `{"count": 2, "next": "`+next+`", "results": [{"id": 1}]}`))
	}
	for name, c := range map[string]struct {
		before func(w http.ResponseWriter, r *http.Request) bool
		token  string
		want   string
	}{
		"unknown token": {before: text(401, `{"detail": "no \u001b[31m"}`), want: "does not know the token of NETBOX_TOKEN: no " +
			"\x1b[31m. Create a token there"},
		"refused": {token: "Token other", want: "refuses /api/status/ with the token of NETBOX_TOKEN: Invalid token TOKEN. The " +
			"token must be valid"},
		"nothing there": {before: text(404, "<html>"), want: "has nothing at /api/status/. Name the URL at which"},
		"bad filter": {before: cables(text(400, `{"detail": "Select a valid choice"}`)), want: "refuses the request for " +
			"/api/dcim/cables/"},
		"broken": {before: cables(text(502, "<html>")), want: "with status 502: the inventory or its proxy has a fault"},
		"teapot": {before: text(418, ""), want: "with status 418"},
		"login page": {before: text(200, "<html>please log in</html>"), want: "text that is not JSON of an inventory. A login " +
			"page"},
		"other program": {before: text(200, `{"version": "1"}`), want: "states the version of neither NetBox nor Nautobot"},
		"cut off": {before: cables(text(200, `{"count": 3, "results": [{"id": 1},`)), want: "ends its answer in the middle of " +
			"/api/dcim/cables/"},
		"cut off by length": {before: cables(text(200, `{"count": 3`, "Content-Length", "4000")), want: "ends its answer in the middle"},
		"no list":           {before: cables(text(200, `{"count": 3}`)), want: "a list of cables without results"},
		"odd form": {
			before: cables(text(200, `{"count": 1, "results": [{"id": 1, "length": {"x": 1}}]}`)),
			want:   "in a form that rocec does not know",
		},
		"rows missing": {before: cables(text(200, `{"count": 9, "results": [{"id": 1}]}`)), want: "counts 9 cables but returned 1: it " +
			"changed meanwhile"},
		"other host": {before: page(other.URL + "/api/dcim/cables/?offset=1"), want: "names a next page on another host, " +
			"127.0.0.1:"},
		"other path": {before: page("/api/users/tokens/?offset=1"), want: "names a next page at another path: /api/users/tokens/"},
		"circle":     {before: page("/api/dcim/cables/?offset=1"), want: "returns pages in a circle"},
		"redirect": {before: text(302, "", "Location", other.URL+"/api/status/"), want: "redirects to another origin, " +
			"https://127.0.0.1:"},
		"redirects": {before: text(302, "", "Location", "/api/status/"), want: "redirects more than 5 times"},
		"downgrade": {before: text(302, "", "Location", "http://127.0.0.1:1/"), want: "redirects to another origin, " +
			"http://127.0.0.1:1, which must not"},
		"always busy":   {before: cables(text(429, "", "Retry-After", "7")), want: "asked 20 times to wait"},
		"busy for long": {before: cables(text(429, "", "Retry-After", "86400")), want: "asks to wait 24h0m0s before the next request"},
		"huge": {before: cables(func(w http.ResponseWriter, _ *http.Request) bool {
			w.Write([]byte(`{"count": 1, "next": "`)) //nolint:errcheck // to the test
			for range pageBytes >> 20 {
				if _, err := w.Write(make1M); err != nil {
					break
				}
			}
			return true
		}), want: "answers with more than 64 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			d := dialects[1]
			s := serve(t, d.status, d.world())
			s.before = c.before
			if c.token != "" {
				s.token = c.token
			}
			_, err := Read(t.Context(), "netbox:"+s.URL, environment("netbox"))
			var failed *exit.Error
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, exit.Machines, failed.Status)
			assert.Contains(t, failed.Message, strings.ReplaceAll(c.want, "\x1b", `\x1b`))
			assert.NotContains(t, failed.Message, token)
		})
	}
}

var make1M = []byte(strings.Repeat("x", 1<<20))

// rocec waits if an answer asks for it. Behind a proxy that ends TLS, the inventory may name itself with http.
func TestWaits(t *testing.T) {
	d := dialects[1]
	s := serve(t, d.status, d.world())
	busy := 0
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		busy++
		switch busy {
		case 1:
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			return false
		}
		return true
	}
	var waited []time.Duration
	env := environment("netbox")
	env.Wait = func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
	_, err := Read(t.Context(), "netbox:"+s.URL, env)
	require.NoError(t, err)
	assert.Equal(t, []time.Duration{3 * time.Second, 2 * time.Second, time.Second}, waited)

	c := &client{base: must(t, "https://nb.example/netbox"), kind: "netbox"}
	query, err := c.next("/api/dcim/cables/", "http://nb.example/netbox/api/dcim/cables/?offset=1000")
	require.NoError(t, err)
	assert.Equal(t, "offset=1000", query)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Read(ctx, "netbox:"+s.URL, env)
	require.ErrorIs(t, err, context.Canceled)
}

// rocec refuses wrong sources and tokens before it opens a connection.
func TestUsage(t *testing.T) {
	for source, want := range map[string]string{
		"netbox:":                             "is not the URL of an inventory; an example is netbox:https://netbox.example.net",
		"netbox:ftp://x":                      "is not the URL of an inventory",
		"nautobot:x.example":                  "an example is nautobot:https://nautobot.example.net",
		"netbox:https://me:secret@nb.example": "leave the user and the password out of the URL; rocec uses only the token in NETBOX_TOKEN",
		"netbox:http://nb.example":            "http would send the token unencrypted",
		"netbox:https://nb.example?region=x":  `the URL may end in ?site=SLUG or ?location=SLUG, and "region" is neither`,
	} {
		_, err := Read(t.Context(), source, environment("netbox"))
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "secret")
	}
	for value, want := range map[string]string{"": "needs a token with read access", "a b": "contains no token", "x\ny": "contains no token"} {
		_, err := Read(t.Context(), "nautobot:https://127.0.0.1:1", Environment{Getenv: func(string) string { return value }})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "NAUTOBOT_TOKEN")
	}
	_, err := Read(t.Context(), "netbox:https://127.0.0.1:1", environment("netbox"))
	require.ErrorContains(t, err, "https://127.0.0.1:1 cannot be reached: ")
	assert.True(t, IsSource("netbox:x") && IsSource("nautobot:x") && !IsSource("csv:x") && !IsSource("netbox"))
}

// A certificate is refused if no root signed it, or if it is for another name.
func TestCertificates(t *testing.T) {
	d := dialects[1]
	s := serve(t, d.status, d.world())
	_, err := Read(t.Context(), "netbox:"+strings.Replace(s.URL, "127.0.0.1", "localhost", 1), environment("netbox"))
	require.ErrorContains(t, err, "has a certificate for other names")
	assert.Empty(t, s.requests)

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	own := httptest.NewUnstartedServer(s)
	own.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	own.StartTLS()
	t.Cleanup(own.Close)
	_, err = Read(t.Context(), "netbox:"+own.URL, environment("netbox"))
	require.ErrorContains(t, err, "has a certificate that this machine does not trust")
	require.ErrorContains(t, err, "SSL_CERT_FILE")
	assert.Empty(t, s.requests)
}

// must parses a URL.
func must(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}
