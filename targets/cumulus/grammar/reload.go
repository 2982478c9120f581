package grammar

import "strings"

// reloaded has the keys of traffic.conf that a running switchd takes on a reload, on Spectrum: the beginning of keys, and the first
// release that does so. All other keys take a restart, and so does every key on Broadcom.
//
// Sources: the chapters on buffers and queues of the manuals. Those of 4.0 and 4.1 list features and weights, and name the node. That of
// 4.2 states that PFC, link pause and ECN need no restart, and lists no keys. That of 4.3 takes any key of traffic.conf. No list has the
// cos of priority groups, per-port classification or per-port remarking before 4.3.
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

// Reloads reports whether a switchd of a release takes a change of a key of traffic.conf by a reload, on a Spectrum chip.
func Reloads(r Release, key string) bool {
	for _, row := range reloaded {
		if r.Compare(row.since) >= 0 && strings.HasPrefix(key, row.head) && strings.HasSuffix(key, row.tail) {
			return true
		}
	}
	return false
}

// CanReload reports whether a switchd of a release takes any change by a reload, on a Spectrum chip.
func CanReload(r Release) bool {
	for _, row := range reloaded {
		if r.Compare(row.since) >= 0 {
			return true
		}
	}
	return false
}

// ReloadsAll reports whether it takes every change so.
func ReloadsAll(r Release) bool {
	for _, row := range reloaded {
		if row.head == "" && row.tail == "" && r.Compare(row.since) >= 0 {
			return true
		}
	}
	return false
}
