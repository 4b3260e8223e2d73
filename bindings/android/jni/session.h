// Engines as Java knows them: by a number that is never used twice, so that a closed one is recognised.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "kazeia/kazeia.h"

namespace kazeia::jni {

// One engine, and the calls that are inside it.
class Session {
 public:
  explicit Session(kz_engine* engine) : engine_(engine) {}
  ~Session() { kz_engine_free(engine_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Ends the calls that are inside now; later ones are not touched.
  void cancel();

  // Lets no new call in, ends those inside, waits until they have left, and frees the engine.
  void close();

 private:
  friend class Call;

  kz_engine* engine_;
  std::mutex lock_;
  std::condition_variable left_;  // a call has left
  int num_calls_ = 0;
  uint64_t num_cancels_ = 0;
  bool closed_ = false;
};

// What a thread does with an engine. While a Call lives its engine does too.
class Call {
 public:
  explicit Call(std::shared_ptr<Session> session);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // False: the session was closed, and nothing may be done with it.
  bool entered() const { return entered_; }
  kz_engine* engine() const { return session_->engine_; }

  // Whether the call came inside and was cancelled since. Covers the moment before the engine itself knows of the call.
  bool cancelled() const;

  // Whether this thread is inside a call of the session already: it is in a callback, and would wait for itself.
  static bool is_inside(const Session& session);

 private:
  const std::shared_ptr<Session> session_;
  Call* const outer_;  // of this thread
  bool entered_ = false;
  uint64_t cancels_before_ = 0;
};

// All open sessions of the process.
class SessionTable {
 public:
  static SessionTable& instance();

  int64_t add(std::shared_ptr<Session> session);
  std::shared_ptr<Session> find(int64_t handle);    // nullptr: closed, or never given out
  std::shared_ptr<Session> remove(int64_t handle);  // as find, and forgets it

 private:
  std::mutex lock_;
  std::map<int64_t, std::shared_ptr<Session>> sessions_;
  int64_t next_handle_ = 1;
};

}  // namespace kazeia::jni
