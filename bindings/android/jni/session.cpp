#include "session.h"

#include <chrono>
#include <utility>

namespace kazeia::jni {
namespace {

thread_local Call* innermost = nullptr;

}  // namespace

void Session::cancel() {
  {
    const std::lock_guard lock(lock_);
    ++num_cancels_;
  }
  kz_engine_cancel(engine_);
}

void Session::close() {
  std::unique_lock lock(lock_);
  closed_ = true;
  ++num_cancels_;
  while (num_calls_ > 0) {
    // Again and again, for a call that is inside but has not reached the engine yet.
    kz_engine_cancel(engine_);
    left_.wait_for(lock, std::chrono::milliseconds(10));
  }
  kz_engine_free(engine_);
  engine_ = nullptr;
}

Call::Call(std::shared_ptr<Session> session) : session_(std::move(session)), outer_(innermost) {
  const std::lock_guard lock(session_->lock_);
  if (session_->closed_) return;
  ++session_->num_calls_;
  cancels_before_ = session_->num_cancels_;
  entered_ = true;
  innermost = this;
}

Call::~Call() {
  if (!entered_) return;
  innermost = outer_;
  const std::lock_guard lock(session_->lock_);
  --session_->num_calls_;
  session_->left_.notify_all();
}

bool Call::cancelled() const {
  const std::lock_guard lock(session_->lock_);
  return session_->num_cancels_ != cancels_before_;
}

bool Call::is_inside(const Session& session) {
  for (const Call* call = innermost; call != nullptr; call = call->outer_) {
    if (call->session_.get() == &session) return true;
  }
  return false;
}

// Never destroyed: at the end of the process other threads may still be speaking.
SessionTable& SessionTable::instance() {
  static SessionTable* const table = std::make_unique<SessionTable>().release();
  return *table;
}

int64_t SessionTable::add(std::shared_ptr<Session> session) {
  const std::lock_guard lock(lock_);
  sessions_.emplace(next_handle_, std::move(session));
  return next_handle_++;
}

std::shared_ptr<Session> SessionTable::find(int64_t handle) {
  const std::lock_guard lock(lock_);
  const auto it = sessions_.find(handle);
  return it == sessions_.end() ? nullptr : it->second;
}

std::shared_ptr<Session> SessionTable::remove(int64_t handle) {
  const std::lock_guard lock(lock_);
  const auto it = sessions_.find(handle);
  if (it == sessions_.end()) return nullptr;
  std::shared_ptr<Session> session = std::move(it->second);
  sessions_.erase(it);
  return session;
}

}  // namespace kazeia::jni
