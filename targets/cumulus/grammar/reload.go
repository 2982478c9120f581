package grammar

import "strings"

// reloaded lists the keys of traffic.conf whose changes switchd applies on a reload, on Spectrum: the beginning and the end of a key, and
// the first release. Other keys need a restart, and on Broadcom every key does.
//
// Sources: the chapters on buffers and queues of the manuals. The manuals of 4.0 and 4.1 list features and weights, and name the node. The
// manual of 4.2 states that PFC, link pause and ECN need no restart, and lists no keys. By that of 4.3 a reload applies every key of
// traffic.conf. No earlier list contains the cos of priority groups, per-port classification or per-port remarking.
var reloaded = []struct {
	head, tail string
	since      Release
}{
	{head: string(Switch) + ".", since: r40},
	{head: string(ECNRED) + ".", since: r40},
	{head: string(PFC) + ".", since: r40},
	{head: string(LinkPause) + ".", since: r40},
	{head: string(PriorityGroup) + ".", tail: ".weight", since: r40},
	{since: r43},
}

var r40 = Release{4, 0}

// Reloads reports whether switchd of a release applies a change of a key of traffic.conf on a reload, on a Spectrum chip.
func Reloads(r Release, key string) bool {
	for _, row := range reloaded {
		if r.Compare(row.since) >= 0 && strings.HasPrefix(key, row.head) && strings.HasSuffix(key, row.tail) {
			return true
		}
	}
	return false
}

// CanReload reports whether switchd of a release applies some change on a reload, on a Spectrum chip.
func CanReload(r Release) bool {
	for _, row := range reloaded {
		if r.Compare(row.since) >= 0 {
			return true
		}
	}
	return false
}

// ReloadsAll reports whether switchd of a release applies every change on a reload, on a Spectrum chip.
func ReloadsAll(r Release) bool {
	for _, row := range reloaded {
		if row.head == "" && row.tail == "" && r.Compare(row.since) >= 0 {
			return true
		}
	}
	return false
}
