package auditlog

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/journal"
)

// patient are limits that no test reaches, but for the queue.
func patient(queue int) limits {
	return limits{queue: queue, deadline: time.Minute, retry: time.Millisecond, closing: time.Minute}
}

func url(t *testing.T, text string) URL {
	t.Helper()
	u, err := Parse(text)
	require.NoError(t, err)
	return u
}

// add adds the lines from first to last.
func add(f *Feed, first, last int) {
	for n := first; n <= last; n++ {
		f.Add(journal.Notice{Event: "verb", Time: at, Run: "run-1", Device: "leaf" + strconv.Itoa(n), Verb: strings.Repeat("v", 50)})
	}
}

// says shortens an event: the number of its device, or how many were dropped.
func says(t *testing.T, text string) string {
	t.Helper()
	var e event
	require.NoError(t, json.Unmarshal([]byte(text), &e), text)
	if e.Dropped > 0 {
		return "dropped " + strconv.Itoa(e.Dropped)
	}
	return strings.TrimPrefix(e.Device, "leaf")
}

// lines reads n events of a stream of JSON.
func lines(t *testing.T, r *bufio.Reader, n int) (out []string) {
	t.Helper()
	for range n {
		text, err := r.ReadString('\n')
		require.NoError(t, err)
		out = append(out, says(t, text))
	}
	return out
}

// numbers returns the words of lines from first to last.
func numbers(first, last int) (out []string) {
	for n := first; n <= last; n++ {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// TestSockets sends events to each kind of socket, whose reader gets all of them in order.
func TestSockets(t *testing.T) {
	const n = 20
	path := filepath.Join(t.TempDir(), "socket")
	datagrams := func(conn net.PacketConn) func() []string {
		return func() (out []string) {
			text := make([]byte, 65536)
			for range n {
				size, _, err := conn.ReadFrom(text)
				require.NoError(t, err)
				out = append(out, says(t, parse5424(t, string(text[:size])).text))
			}
			return out
		}
	}
	accept := func(l net.Listener) *bufio.Reader {
		conn, err := l.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return bufio.NewReader(conn)
	}
	for name, serve := range map[string]func() (to string, read func() []string, end io.Closer){
		"syslog+udp": func() (string, func() []string, io.Closer) {
			conn, err := net.ListenPacket("udp", "127.0.0.1:0")
			require.NoError(t, err)
			return "syslog+udp://" + conn.LocalAddr().String(), datagrams(conn), conn
		},
		"syslog+unix": func() (string, func() []string, io.Closer) {
			conn, err := net.ListenPacket("unixgram", path+"1")
			require.NoError(t, err)
			return "syslog+unix://" + path + "1", datagrams(conn), conn
		},
		"syslog+tcp": func() (string, func() []string, io.Closer) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			return "syslog+tcp://" + l.Addr().String(), func() (out []string) {
				r := accept(l)
				for range n {
					length, err := r.ReadString(' ')
					require.NoError(t, err)
					size, err := strconv.Atoi(strings.TrimSuffix(length, " "))
					require.NoError(t, err)
					text := make([]byte, size)
					_, err = io.ReadFull(r, text)
					require.NoError(t, err)
					out = append(out, says(t, parse5424(t, string(text)).text))
				}
				return out
			}, l
		},
		"json+tcp": func() (string, func() []string, io.Closer) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			return "json+tcp://" + l.Addr().String(), func() []string { return lines(t, accept(l), n) }, l
		},
		"json+unix": func() (string, func() []string, io.Closer) {
			l, err := net.Listen("unix", path+"2")
			require.NoError(t, err)
			return "json+unix://" + path + "2", func() []string { return lines(t, accept(l), n) }, l
		},
	} {
		t.Run(name, func(t *testing.T) {
			to, read, end := serve()
			defer end.Close()
			f := open(url(t, to), sender, patient(n))
			require.NoError(t, f.Reached())
			add(f, 1, n)
			done := make(chan Tally)
			go func() { done <- f.Close() }()
			require.Equal(t, numbers(1, n), read())
			require.Equal(t, Tally{Events: n}, <-done)
		})
	}
}

// TestStalledReader makes no caller wait for a reader that reads nothing. When it reads again, it gets the number of dropped events in
// their place.
func TestStalledReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	f := open(url(t, "json+unix://"+path), sender, patient(10))
	require.NoError(t, f.Reached())
	conn, err := l.Accept()
	require.NoError(t, err)
	defer conn.Close()
	const n = 5000 // several times the buffer of the socket
	add(f, 1, n)
	r, seen, dropped := bufio.NewReader(conn), 0, 0
	done := make(chan Tally)
	go func() { done <- f.Close() }()
	for seen+dropped < n {
		word := lines(t, r, 1)[0]
		if count, ok := strings.CutPrefix(word, "dropped "); ok {
			number, err := strconv.Atoi(count)
			require.NoError(t, err)
			dropped += number
			continue
		}
		require.Equal(t, strconv.Itoa(seen+dropped+1), word)
		seen++
	}
	require.Equal(t, Tally{Events: n, Dropped: dropped}, <-done)
	require.NotZero(t, dropped)
}

// TestDeadline gives up a reader that reads nothing, and connects again. A cut line is sent again as a whole.
func TestDeadline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	some := patient(20_000)
	some.deadline = 20 * time.Millisecond
	f := open(url(t, "json+unix://"+path), sender, some)
	stalled, err := l.Accept()
	require.NoError(t, err)
	defer stalled.Close()
	const n = 5000
	add(f, 1, n)
	conn, err := l.Accept()
	require.NoError(t, err)
	defer conn.Close()
	text, err := io.ReadAll(stalled)
	require.NoError(t, err)
	whole := strings.SplitAfter(string(text), "\n")
	r := bufio.NewReader(conn)
	require.Equal(t, numbers(len(whole), len(whole)+9), lines(t, r, 10))
	go io.Copy(io.Discard, r) //nolint:errcheck // until the feed ends
	tally := f.Close()
	require.ErrorContains(t, tally.Err, "i/o timeout")
	require.Zero(t, tally.Dropped)
}

// TestPeerGoesAway keeps the events while the reader is away, as far as the queue goes, and sends them when it is back.
func TestPeerGoesAway(t *testing.T) {
	for _, kind := range []string{"tcp", "unix"} {
		t.Run(kind, func(t *testing.T) {
			address := map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "socket")}[kind]
			l, err := net.Listen(kind, address)
			require.NoError(t, err)
			address = l.Addr().String()
			f := open(url(t, "json+"+kind+"://"+address), sender, patient(5))
			conn, err := l.Accept()
			require.NoError(t, err)
			add(f, 1, 2)
			require.Equal(t, numbers(1, 2), lines(t, bufio.NewReader(conn), 2))
			require.NoError(t, l.Close())
			require.NoError(t, conn.Close())
			require.Eventually(t, func() bool {
				f.mu.Lock()
				defer f.mu.Unlock()
				return f.tally.Err != nil
			}, time.Minute, time.Millisecond)

			add(f, 3, 3)
			require.Eventually(t, func() bool { return len(f.queue) == 0 }, time.Minute, time.Millisecond) // the goroutine holds it
			add(f, 4, 20)
			l, err = net.Listen(kind, address)
			require.NoError(t, err)
			defer l.Close()
			conn, err = l.Accept()
			require.NoError(t, err)
			defer conn.Close()
			r := bufio.NewReader(conn)
			require.Equal(t, numbers(3, 8), lines(t, r, 6))
			require.Eventually(t, func() bool { return len(f.queue) == 0 }, time.Minute, time.Millisecond)
			add(f, 21, 21)
			require.Equal(t, []string{"dropped 12", "21"}, lines(t, r, 2))
			tally := f.Close()
			require.Error(t, tally.Err)
			require.Equal(t, Tally{Events: 21, Dropped: 12, Err: tally.Err}, tally)
		})
	}
}

// TestRoomForOne drops an event where the queue has room for the event or for the number of dropped ones, and not for both.
func TestRoomForOne(t *testing.T) {
	f := &Feed{queue: make(chan event, 2)}
	add(f, 1, 3)
	<-f.queue
	add(f, 4, 4)
	require.Equal(t, Tally{Events: 4, Dropped: 2}, f.tally)
	<-f.queue
	add(f, 5, 5)
	require.Equal(t, 2, (<-f.queue).Dropped)
	require.Equal(t, "leaf5", (<-f.queue).Device)
}

// TestNoPeer ends in time without a reader, and counts every event.
func TestNoPeer(t *testing.T) {
	some := patient(5)
	some.closing = time.Millisecond
	path := filepath.Join(t.TempDir(), "socket")
	f := open(url(t, "json+unix://"+path), sender, some)
	require.ErrorContains(t, f.Reached(), "no such file")
	add(f, 1, 20)
	tally := f.Close()
	require.ErrorContains(t, tally.Err, "no such file")
	require.Equal(t, Tally{Events: 20, Dropped: 20, Err: tally.Err}, tally)
	add(f, 21, 22)
	require.Equal(t, 22, f.Close().Dropped, "an event after the end is counted, too")
}

// TestStalledEnd ends in time while the reader reads nothing.
func TestStalledEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	some := patient(5000)
	some.closing = 10 * time.Millisecond
	f := open(url(t, "json+unix://"+path), sender, some)
	require.NoError(t, f.Reached())
	const n = 5000
	add(f, 1, n)
	tally := f.Close()
	conn, err := l.Accept()
	require.NoError(t, err)
	text, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(n), fmt.Sprint(tally.Dropped+strings.Count(string(text), "\n")))
	require.NotZero(t, tally.Dropped)
}
