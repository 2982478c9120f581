package readings

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate/storm"
)

// the time at which the tests ask, and the time between looks.
var now = time.Unix(1_800_000_000, 0)

const between = 60

// small is a fabric of one switch and two hosts.
func small() *ir.Fabric { return irtest.New(ir.ShortestPath).Links("hA-L0 hB-L0").Fabric() }

// sample is a series of an answer.
type sample struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
}

// vector writes the answer of a query.
func vector(w http.ResponseWriter, rows ...sample) {
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "vector", "result": rows}})
}

// stormServer answers like a server that has the looks of a storm: hB pauses L0 all the time.
func stormServer(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	at, _ := strconv.ParseFloat(query.Get("time"), 64)
	nth := int(at-float64(now.Unix()))/between - 1 // of the look before the time, from the end
	if at == float64(now.Unix()) {
		nth = 0
	}
	looked := float64(now.Unix()) - 10 + float64(nth*between)
	if looked > at {
		looked -= between
	}
	series := func(device, port string, v float64) sample {
		return sample{
			map[string]string{"device": device, "port": port, "priority": "3"}, [2]any{at, strconv.FormatFloat(v, 'g', -1, 64)},
		}
	}
	switch q := query.Get("query"); {
	case strings.HasPrefix(q, `max(rocec_last_look_timestamp_seconds{fabric="test"})`):
		vector(w, sample{map[string]string{}, [2]any{at, fmt.Sprint(int64(looked))}})
	case strings.Contains(q, `(rocec_pfc_received_pause_seconds_total{fabric="test"})`):
		vector(w, series("L0", "p1", looked-1.79e9), series("L0", "p0", 5))
	case strings.Contains(q, "rocec_pfc_received_frames_total"):
		vector(w, series("L0", "p1", 3000*(looked-1.79e9)), series("L0", "p0", 9))
	default:
		vector(w)
	}
}

// serve returns a client of a server for a test.
func serve(t *testing.T, handler http.HandlerFunc, token string) *Prometheus {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s, err := NewPrometheus(server.URL, token)
	require.NoError(t, err)
	return s
}

// Three looks in a server are three readings, which name the origin.
func TestPrometheus(t *testing.T) {
	f := small()
	tokens := map[string]bool{}
	all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		tokens[r.Header.Get("Authorization")] = true
		stormServer(w, r)
	}, "secret").Readings(t.Context(), f, now)
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, map[string]bool{"Bearer secret": true}, tokens)
	var when []int64
	for _, r := range all {
		for d, of := range r {
			if d.Name == "L0" {
				when = append(when, of.When.Unix()-now.Unix())
			} else {
				require.Equal(t, noSeries, of.Failed)
			}
		}
	}
	require.Equal(t, []int64{-10 - 2*between, -10 - between, -10}, when)
	found := storm.Judge(f, all)
	require.Equal(t, storm.Storm, found.Verdict)
	require.Equal(t, "hB:p0", found.Origins[0].Port.String())
}

// Readings of a server have the intervals in which the devices renew their counters, as those of the devices themselves have.
func TestPrometheusIntervals(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("../../../examples/rack-by-files"), ".", judge.Options{}).Fabric
	all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		q.Set("query", strings.ReplaceAll(q.Get("query"), strconv.Quote(f.Name), `"test"`))
		r.URL.RawQuery = q.Encode()
		stormServer(w, r)
	}, "").Readings(t.Context(), f, now)
	require.NoError(t, err)
	slow := 0
	for d, of := range all[0] {
		queries := targets.CounterQueries(d)
		is := CountersOf(d, queries, make([]session.Reply, len(queries)), now)
		require.Equal(t, []time.Duration{is.Every, is.Queues}, []time.Duration{of.Every, of.Queues}, d.Name)
		if of.Queues > 0 {
			slow++
		}
	}
	require.Positive(t, slow)
}

// A server with one look gives one reading, and one that never renews its values gives no rise.
func TestPrometheusWithoutLooks(t *testing.T) {
	all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("query"), look) && r.URL.Query().Get("time") != "1800000000.000" {
			vector(w)
			return
		}
		stormServer(w, r)
	}, "").Readings(t.Context(), small(), now)
	require.NoError(t, err)
	require.Len(t, all, 1)
	_, err = serve(t, func(w http.ResponseWriter, _ *http.Request) { vector(w) }, "").Readings(t.Context(), small(), now)
	require.ErrorContains(t, err, "has no rocec_last_look_timestamp_seconds of the fabric test")
}

// A server whose clock is behind has stored a look before the time of that look, and gives the same readings.
func TestPrometheusClock(t *testing.T) {
	for _, behind := range []int64{1, 2, 9, 40, 200} {
		f := small()
		asked := 0
		all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked++
			q := r.URL.Query()
			at, _ := strconv.ParseFloat(q.Get("time"), 64)
			q.Set("time", strconv.FormatFloat(min(at+float64(behind), float64(now.Unix())), 'f', 3, 64))
			r.URL.RawQuery = q.Encode()
			stormServer(w, r)
		}, "").Readings(t.Context(), f, now)
		require.NoError(t, err)
		require.Len(t, all, 3, behind)
		require.Less(t, asked, 60)
		require.Equal(t, "hB:p0", storm.Judge(f, all).Origins[0].Port.String())
	}
}

// After a scrape that failed, a server has no values until the next one. The look before the gap counts, unless the gap is long.
func TestPrometheusGap(t *testing.T) {
	for gap, known := range map[float64]bool{0.5: true, 3: true, 300: false} {
		all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if at, _ := strconv.ParseFloat(r.URL.Query().Get("time"), 64); at > float64(now.Unix())-gap {
				vector(w)
				return
			}
			stormServer(w, r)
		}, "").Readings(t.Context(), small(), now)
		if !known {
			require.ErrorContains(t, err, "has no rocec_last_look_timestamp_seconds")
			continue
		}
		require.NoError(t, err)
		require.Len(t, all, 3, gap)
	}
}

// A counter is exact up to the largest whole number that a double keeps exactly. A larger one is not known: a rise by one could be lost.
func TestLargeCounters(t *testing.T) {
	for value, known := range map[string]bool{"20000000000000": true, "9007199254740992": true, "9007199254740994": false} {
		all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Query().Get("query"), "rocec_queue_sent_packets_total") {
				stormServer(w, r)
				return
			}
			vector(w, sample{map[string]string{"device": "L0", "port": "p1", "priority": "3"}, [2]any{0, value}})
		}, "").Readings(t.Context(), small(), now)
		require.NoError(t, err)
		for d, of := range all[0] {
			for _, c := range of.Ports {
				if d.Name == "L0" && c.Port == "p1" {
					require.Equal(t, known, c.Packets.Known, value)
				}
			}
		}
	}
}

// Answers of a server that lies, or is no Prometheus, are an error or are not known: never a value.
func TestHostilePrometheus(t *testing.T) {
	for _, c := range []struct {
		name, want string
		handler    http.HandlerFunc
	}{
		{"status", "it answers with status 503", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }},
		{"no JSON", "its answer is not the result of a query", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }},
		{"an error", "its answer is not the result of a query", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"\u001b[31m"}`)
		}},
		{"a matrix", "its answer is not the result of a query", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
		}},
		{"100 MB", "an answer is larger than 64 MiB", func(w http.ResponseWriter, _ *http.Request) {
			block := []byte(strings.Repeat(" ", 1<<20))
			for range 100 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}},
		{"cut off", "its answer ends early", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"status"`)
		}},
		{"a circle of redirects", "it redirects too often", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := serve(t, c.handler, "").Readings(t.Context(), small(), now)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
}

// Values that are no counters, and labels of other devices, ports and priorities, are not known.
func TestHostileSeries(t *testing.T) {
	f := small()
	all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Query().Get("query"), "received_pause") {
			stormServer(w, r)
			return
		}
		row := func(device, port, priority string, value any) sample {
			return sample{map[string]string{"device": device, "port": port, "priority": priority}, [2]any{0, value}}
		}
		vector(w, row("L0", "p0", "3", "NaN"), row("L0", "p1", "3", "+Inf"), row("L0", "p1", "3", "-1"), row("L0", "p1", "3", 7),
			row("L0", "p1", "3", "1e300"), row("L0", "p1", "8", "7"), row("L0", "p1", "-3", "7"), row("L9", "p1", "3", "7"),
			row("L0", "p9", "3", "7"))
	}, "").Readings(t.Context(), f, now)
	require.NoError(t, err)
	for _, r := range all {
		for _, of := range r {
			for _, c := range of.Ports {
				require.False(t, c.ReceivedTime.Known, c)
				require.Equal(t, 3, c.Priority)
			}
			require.LessOrEqual(t, len(of.Ports), 2)
		}
	}
	require.Equal(t, storm.Unknown, storm.Judge(f, all).Verdict, "frames alone do not show for how long")
}

// A redirect to another host is refused, and the token never goes there.
func TestPrometheusTokenStays(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked = true; vector(w) }))
	defer other.Close()
	_, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.String(), http.StatusFound)
	}, "secret").Readings(t.Context(), small(), now)
	require.ErrorContains(t, err, "it redirects to http://127.0.0.1:")
	require.NotContains(t, err.Error(), "secret")
	require.False(t, asked)
}

// The address must be plain, and a token needs encryption.
func TestNewPrometheus(t *testing.T) {
	for _, c := range []struct{ address, token, want string }{
		{"prometheus", "", "is not the URL of a server"},
		{"ftp://prometheus.example.net", "", "is not the URL of a server"},
		{"https://user:secret@prometheus.example.net", "", "leave users, queries and fragments out"},
		{"https://prometheus.example.net/?a=b", "", "leave users, queries and fragments out"},
		{"http://prometheus.example.net", "secret", "unencrypted"},
		{"https://prometheus.example.net", "two words", "contains no token"},
		{"http://prometheus.example.net", "", ""},
		{"http://[::1]:9090/prefix", "secret", ""},
	} {
		_, err := NewPrometheus(c.address, c.token)
		if c.want == "" {
			require.NoError(t, err, c.address)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "secret")
	}
}

// A look that is too old is not the state now: the textfile collector of node_exporter repeats the last file until there is another.
func TestPrometheusOldLook(t *testing.T) {
	old := func(w http.ResponseWriter, r *http.Request) { stormServer(w, r) }
	_, err := serve(t, old, "").Readings(t.Context(), small(), now.Add(mostAge-time.Minute))
	require.NoError(t, err)
	repeats := func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("query"), look) {
			vector(w, sample{map[string]string{}, [2]any{0, fmt.Sprint(now.Unix() - 86400)}})
			return
		}
		stormServer(w, r)
	}
	_, err = serve(t, repeats, "").Readings(t.Context(), small(), now)
	require.ErrorContains(t, err, "is 24h0m0s old, and does not show the pauses now")
}

// If a server stores another look while it is asked, the values may be of both. So they are asked again at an earlier time.
func TestPrometheusStoresWhileAsked(t *testing.T) {
	asked := 0
	all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if strings.Contains(q.Get("query"), look) && q.Get("time") == "1800000000.000" {
			if asked++; asked == 1 { // the new look is not there yet
				vector(w, sample{map[string]string{}, [2]any{0, fmt.Sprint(now.Unix() - 10 - between)}})
				return
			}
		}
		stormServer(w, r)
	}, "").Readings(t.Context(), small(), now)
	require.NoError(t, err)
	require.Equal(t, 2, asked)
	require.Len(t, all, 3)
	for d, of := range all[2] {
		if d.Name == "L0" {
			require.Equal(t, uint64(1e6*(of.When.Unix()-1.79e9)), of.Ports[1].ReceivedTime.Value, "the value is of the look with this time")
		}
	}
}

// A server that states that its answer may be incomplete gives no reading. Series of unknown ports, and any number of them, are left out.
func TestPrometheusOddAnswers(t *testing.T) {
	const head = `{"status":"success","data":{"resultType":"vector","result":[`
	read := func(text string) (n int, why string) {
		why = eachSeries([]byte(text), func(*labelled) { n++ })
		return n, why
	}
	for _, c := range []struct {
		text string
		n    int
		why  string
	}{
		{head + `{},{"metric":{"device":"x"}}]}}`, 2, ""},
		{head + `{},{}]},"warnings":[]}`, 2, ""},
		{head + `{}]},"warnings":"odd"}`, 1, ""},
		{head + `{}]},"warnings":["store \u001b[31m gone"]}`, 0, `it warns that its answer may not be whole: store \x1b[31m gone`},
		{head + `{},3]}}`, 1, "its answer is not the result of a query"},
		{head + `{}`, 0, "its answer is not the result of a query"},
		{`{"status":"success","data":{"resultType":"vector","result":{}}}`, 0, "its answer is not the result of a query"},
		{`{"status":"success","data":{"resultType":"vector"}}`, 0, "its answer is not the result of a query"},
		{`[[[[`, 0, "its answer is not the result of a query"},
	} {
		n, why := read(c.text)
		require.Equal(t, c.n, n, c.text)
		require.Equal(t, c.why, why, c.text)
	}
	all, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query().Get("query"); strings.Contains(q, look) {
			stormServer(w, r)
			return
		}
		rows := []sample{}
		for i := range 1000 {
			rows = append(rows, sample{map[string]string{"device": "L0", "port": fmt.Sprint("p\x1b", i), "priority": "3"}, [2]any{0, "7"}})
		}
		rows = append(rows, sample{map[string]string{"device": "L0", "port": "p0", "priority": "8"}, [2]any{0, "7"}},
			sample{map[string]string{"device": "L0", "port": "p0", "priority": "3"}, [2]any{0, "NaN"}},
			sample{map[string]string{"device": "L0", "port": "p1", "priority": "3"}, [2]any{0, "1e400"}})
		vector(w, rows...)
	}, "").Readings(t.Context(), small(), now)
	require.NoError(t, err)
	for _, of := range all[0] {
		require.Empty(t, of.Ports)
		require.Equal(t, noSeries, of.Failed)
	}
}

// Any bytes are an error or rows: a decoder never panics.
func FuzzPrometheus(f *testing.F) {
	f.Add(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"device":"L0"},"value":[1,"2"]}]}}`)
	f.Add(`{"status":"success","data":{"resultType":"vector","result":[{"value":["",{}]}]}}`)
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	f.Cleanup(server.Close)
	s, err := NewPrometheus(server.URL, "")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		answer = text
		err := s.ask(context.Background(), "x", now, func(r *labelled) {
			v, ok := r.value()
			require.True(t, !ok || v >= 0)
		})
		if err != nil {
			require.NotContains(t, err.Error(), "\x1b")
		}
	})
}
