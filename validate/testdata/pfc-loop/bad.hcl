# background: ring

fabric "ring" {
  routing = "shortest-path" # want "pfc-loop: .*lossless traffic of cos group \"rdma\" .priority 4. can fill 4 buffers that wait for each other in a circle"
}
