package cumulus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// queued returns a switch with two ports and a lossless group, and the ports as a query has them.
func queued() (*ir.Device, []target.Counted) {
	f := &ir.Fabric{}
	g := &ir.CosGroup{Name: "storage", Cos: 3, Lossless: true}
	f.CosGroups = []*ir.CosGroup{g}
	d := &ir.Device{Fabric: f, Switch: &ir.Switch{Version: "5.9.0"}}
	var counted []target.Counted
	for i, name := range []string{"swp1", "swp2"} {
		p := ir.NewPort(d, ir.PortSpec{ID: i, Index: i, Name: name, Buffers: []*ir.Buffer{{Group: g}}})
		d.Ports = append(d.Ports, p)
		counted = append(counted, target.Counted{Name: name, Word: name, Port: name})
	}
	return d, counted
}

// Answers of nv in the forms of public documents give the counters of the class to which the priority belongs. A part that nv does not
// print is not known, and its ports are named. The keys of egress-queue-stats are those of LLDPq, process_pfc_ecn_data.py; those of the
// other answers are the columns of the vendor's reference of NVUE commands, "QoS".
func TestReadQueueCounters(t *testing.T) {
	const (
		same = "classes:swp1 {\"switch-priority\":{\"3\":{\"traffic-class\":3}}}\n"
		sent = `{"0":{"tx-frames":1},"3":{"tx-frames":70,"tx-uc-buffer-discards":0,"wred-discards":0,"ecn-marked-frames":4},"5":{"tx-frames":90}}`
		both = "queues:swp1 " + sent + "\nqueues:swp2 " + sent + "\n"
	)
	known := func(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }
	row := func(port string, packets, waiting, marked ir.Counter) ir.PauseCounters {
		return ir.PauseCounters{Port: port, Priority: 3, Packets: packets, Waiting: waiting, Marked: marked}
	}
	none := ir.Counter{}
	for _, c := range []struct {
		name, answer string
		want         []ir.PauseCounters
		unread       string
	}{
		{
			"both", "uptime 5.00 1.00\n" + same + both +
				"held:swp1 {\"3\":{\"current-usage\":\"9.98 KB\"}}\nheld:swp2 {\"3\":{\"current-usage\":0}}\n",
			[]ir.PauseCounters{row("swp1", known(70), known(10219), known(4)), row("swp2", known(70), known(0), known(4))},
			"",
		},
		{
			"strings and wrappers", "classes:swp1 {\"operational\":{\"switch-priority\":{\"3\":{\"traffic-class\":\"3\"}}}}\n" +
				"queues:swp1 {\"egress-queue-stats\":{\"3\":{\"tx-frames\":\"70\"}}}\nqueues:swp2 {\"operational\":" + sent + "}\n" +
				"held:swp1 {\"egress-traffic-class\":{\"3\":{\"current-usage\":\"0Bytes\"}}}\n",
			[]ir.PauseCounters{row("swp1", known(70), known(0), none), row("swp2", known(70), none, known(4))},
			"",
		},
		{
			"another class", "classes:swp1 {\"3\":{\"traffic-class\":5}}\n" + both,
			[]ir.PauseCounters{row("swp1", known(90), none, none), row("swp2", known(90), none, none)},
			"",
		},
		{"no map", both, nil, "nv does not print the traffic class of each priority for swp1 and swp2"},
		{"a map without the priority", "classes:swp1 {\"4\":{\"traffic-class\":4}}\n" + both, nil, ""},
		{"no such class", "classes:swp1 {\"3\":{\"traffic-class\":8}}\n" + both, nil, ""},
		{
			"late", same + "queues:swp1 " + sent + "\nlate:swp2\n",
			[]ir.PauseCounters{row("swp1", known(70), none, known(4))},
			"nv took too long to print the counters of queues for swp2",
		},
		{
			"late for bytes alone", same + both + "late:swp2\n",
			[]ir.PauseCounters{row("swp1", known(70), none, known(4)), row("swp2", known(70), none, known(4))},
			"",
		},
		{
			"cut off", same + "queues:swp1 " + sent[:40] + "\nqueues:swp2 Error: The requested item does not exist.\n", nil,
			"nv prints no counters of queues for swp1 and swp2",
		},
		{
			"other values", same + "queues:swp1 {\"3\":{\"tx-frames\":-1}}\nqueues:swp2 {\"3\":{\"tx-frames\":\"70 Bytes\"}}\n" +
				"held:swp1 {\"3\":{\"current-usage\":\"1 TB\"}}\nheld:swp2 {\"3\":{\"current-usage\":-1}}\n",
			[]ir.PauseCounters{row("swp1", none, none, none), row("swp2", none, none, none)},
			"",
		},
		{"nothing", "", nil, "nv prints no counters of queues for swp1 and swp2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ports := queued()
			got, unread := readQueues(d, []byte(c.answer), ports, (*queueAnswer).missing)
			require.Equal(t, c.want, got)
			require.Equal(t, c.unread, unread)
		})
	}
}

// The state of a watchdog is that of the class of the priority. It is not known if the watchdog is off, or has another word for its state.
// Source of the words: the vendor's manual, Quality of Service, PFC Watchdog; the form as JSON is unsure.
func TestReadWatchdog(t *testing.T) {
	const sent = "classes:swp1 {\"3\":{\"traffic-class\":2}}\n" +
		"queues:swp1 {\"2\":{\"tx-frames\":1}}\nqueues:swp2 {\"2\":{\"tx-frames\":1}}\nguard:swp1 "
	known, none := func(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }, ir.Counter{}
	for _, c := range []struct {
		answer       string
		cut, cutting ir.Counter
		off          bool
	}{
		{
			`{"state":"enabled","status":{"2":{"status":"DEADLOCK","deadlock-count":2},"3":{"status":"OK","deadlock-count":0}}}`,
			known(2), known(1), false,
		},
		{`{"operational":{"state":"enable","status":{"2":{"status":"OK","deadlock-count":"3"}}}}`, known(3), known(0), false},
		{`{"state":"disabled","status":{"2":{"status":"OK","deadlock-count":0}}}`, none, none, true},
		{`{"state":"enabled","status":{"2":{"status":"other"}}}`, none, none, false},
		{`{"state":"enabled"}`, none, none, false},
		{`{"state":{"operational":"enabled"}}`, none, none, false},
		{`[]`, none, none, false},
	} {
		d, ports := queued()
		got, unread := readQueues(d, []byte(sent+c.answer+"\n"), ports, (*queueAnswer).missing)
		require.Empty(t, unread)
		require.Equal(t, c.cut, got[0].Cut, c.answer)
		require.Equal(t, c.cutting, got[0].Cutting, c.answer)
		require.Equal(t, none, got[1].Cutting)
		require.Equal(t, c.off, got[0].Unwatched, c.answer)

		alone, unread := readQueues(d, []byte("classes:swp1 {\"3\":{\"traffic-class\":2}}\nguard:swp1 "+c.answer+"\nlate:swp2\n"), ports,
			(*queueAnswer).unguarded)
		require.Equal(t, "nv took too long to print the states of watchdogs for swp2", unread)
		_, unread = readQueues(d, []byte("guard:swp1 "+c.answer+"\n"), ports, (*queueAnswer).unguarded)
		require.Equal(t, c.cut.Known || strings.Contains(c.answer, "other"), unread != "", "without classes: "+unread)
		if c.off || c.cutting.Known {
			require.Len(t, alone, 1, "the part of the query about watchdogs has the same reader")
			require.Equal(t, c.cutting, alone[0].Cutting, c.answer)
			require.Equal(t, c.off, alone[0].Unwatched, c.answer)
		}
	}
}

// Only releases with NVUE's counters are asked for queues, and a person can paste the question.
func TestQueueCounters(t *testing.T) {
	for version, want := range map[string]bool{"3.4.3": false, "4.4.0": false, "5.2.0": false, "5.3.0": true, "5.9.0": true} {
		require.Equal(t, want, hasNV(&ir.Device{Switch: &ir.Switch{Version: version}}), version)
	}
	require.NotContains(t, AskQueues, "'")

	const late = "classes:swp1 {\"3\":{\"traffic-class\":2}}\nqueues:swp1 {\"2\":{}}\nqueues:swp2 {\"2\":{}}\nguard:swp1 {}\nlate:swp2\n"
	for version, want := range map[string]string{"5.5.0": "", "5.9.0": "nv took too long to print the states of watchdogs for swp2"} {
		d, ports := queued()
		d.Switch.Version = version
		q := queueCounters(d, ports)
		require.Equal(t, want != "", q.Watchdogs != nil, version)
		_, unread := q.Read(d, []byte(late))
		require.Equal(t, want, unread, version)
	}
}

// Any answer gives at most one row for each lossless queue, and a short reason.
func FuzzReadQueueCounters(f *testing.F) {
	f.Add("classes:swp1 {\"3\":{\"traffic-class\":3}}\nqueues:swp1 {\"3\":{\"tx-frames\":70}}\n" +
		"held:swp1 {\"3\":{\"current-usage\":\"9.98 KB\"}}\n")
	f.Add("classes:swp1 " + strings.Repeat("{\"operational\":", 5000))
	f.Add("queues:swp1 {\"3\":[]}\nclasses: {\"3\":{\"traffic-class\":{}}}")
	d, ports := queued()
	f.Fuzz(func(t *testing.T, answer string) {
		got, unread := readQueues(d, []byte(answer), ports, (*queueAnswer).missing)
		require.LessOrEqual(t, len(got), 2)
		require.Less(t, len(unread), 400)
	})
}
