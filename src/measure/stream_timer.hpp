#pragma once

#include "cuda/handles.hpp"

namespace cornerturn {

/// Captures a graph of several launches, which run one after another without the host. launch() enqueues one launch on the
/// stream.
template <class Launch>
graph_exec_handle capture_graph(cudaStream_t stream, int launches, Launch const& launch,
                                cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
  check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture");
  for (int i = 0; i < launches; ++i) launch();
  cudaGraph_t captured;
  check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
  graph_handle const graph(captured);
  cudaGraphExec_t ready;
  check(cudaGraphInstantiate(&ready, graph.get(), 0), "cudaGraphInstantiate");
  return graph_exec_handle(ready);
}

/// Times work on a stream by an event before it and an event after it.
class stream_timer {
 public:
  /// Waits for the work that start() enqueues on the stream. Returns its time in milliseconds.
  template <class Start>
  double milliseconds_of(cudaStream_t stream, Start const& start) const {
    record_event(begin_, stream);
    start();
    record_event(end_, stream);
    check(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
    float ms;
    check(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "cudaEventElapsedTime");
    return double(ms);
  }

 private:
  event_handle begin_ = make_event(), end_ = make_event();
};

}  // namespace cornerturn
