package grammar

import "strings"

// Quota is the share of a buffer in a dynamic pool: the buffer may use Num / Den times the free memory of the pool. With Den 0 the buffer
// has no limit, with Num 0 it may use nothing.
type Quota struct{ Num, Den int }

// Infinite is the quota of a buffer without a limit.
var Infinite = Quota{1, 0}

// quotas lists the codes in order. Files contain their numbers in every release, and their names from 4.4 on. Source: the comments of
// qos_infra.conf of 4.4.
var quotas = []struct {
	name string
	is   Quota
}{
	{"ALPHA_0", Quota{0, 1}},
	{"ALPHA_1_128", Quota{1, 128}},
	{"ALPHA_1_64", Quota{1, 64}},
	{"ALPHA_1_32", Quota{1, 32}},
	{"ALPHA_1_16", Quota{1, 16}},
	{"ALPHA_1_8", Quota{1, 8}},
	{"ALPHA_1_4", Quota{1, 4}},
	{"ALPHA_1_2", Quota{1, 2}},
	{"ALPHA_1", Quota{1, 1}},
	{"ALPHA_2", Quota{2, 1}},
	{"ALPHA_4", Quota{4, 1}},
	{"ALPHA_8", Quota{8, 1}},
	{"ALPHA_16", Quota{16, 1}},
	{"ALPHA_32", Quota{32, 1}},
	{"ALPHA_64", Quota{64, 1}},
	{"ALPHA_INFINITY", Infinite},
}

// ReadQuota reads the code of a quota: a number from 0 to 15, or its name.
func ReadQuota(text string) (Quota, bool) {
	if n, ok := Number(text, len(quotas)-1); ok {
		return quotas[n].is, true
	}
	for _, q := range quotas {
		if strings.EqualFold(q.name, text) {
			return q.is, true
		}
	}
	return Quota{}, false
}

// Name returns the name of a quota in 4.4 and later; empty: the number is not a code of a quota.
func (q Quota) Name() string {
	for _, known := range quotas {
		if known.is == q {
			return known.name
		}
	}
	return ""
}
